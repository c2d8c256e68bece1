/**
 * How text stands on a terminal: its columns (a wide character takes two, a mark none), and the characters that a reader sees.
 *
 * What both need of Unicode takes 60 ms to load, nearly half of the start of a command, so it is loaded for the first text that needs it.
 */
import { createRequire } from 'node:module'
import type StringWidth from 'string-width'

/** Letters, digits and signs of one column each, none of which joins the next: Latin, dashes, quotation marks, an ellipsis, signs of tables. */
const isPlain = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2200-\u22ff\u2500-\u257f]*$/

/** The columns of a text without control characters. */
export function displayWidth(text: string): number {
  return isPlain.test(text) ? text.length : unicode().stringWidth(text)
}

/** The characters of a text, each with the marks on it. */
export function graphemesOf(text: string): Iterable<string> {
  if (isPlain.test(text)) return text
  return Array.from(unicode().segmenter.segment(text), ({ segment }) => segment)
}

interface Unicode {
  readonly stringWidth: typeof StringWidth
  readonly segmenter: Intl.Segmenter
}

let loaded: Unicode | null = null

function unicode(): Unicode {
  return (loaded ??= { stringWidth: loadStringWidth(), segmenter: new Intl.Segmenter() })
}

/** Synchronously: in the bundle of the command there is a `require`, which has the package in it; elsewhere it is made. */
function loadStringWidth(): typeof StringWidth {
  const { default: stringWidth } = (
    typeof require === 'function' ? require('string-width') : createRequire(import.meta.url)('string-width')
  ) as typeof import('string-width')
  return stringWidth
}
