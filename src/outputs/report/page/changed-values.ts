import type { ChangedField } from '../../../mirror/answers/digest/digest.ts'
import { asText } from '../../../common/text/field-change.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { shownText, textOf, type Html } from './text.ts'

/** Characters that stay before the first one that differs. */
const CONTEXT = 20

const times = ['event_at', 'created_at']

export type Value = Html | string | null

/** Both values of a changed field so that they look different; null where there is none. */
export function bothValues(
  { field, before, now }: ChangedField,
  formats: Moments,
): readonly [before: Value, now: Value] {
  const [one, other] = [asText(before), asText(now)]
  const ways = times.includes(field) ? [formats.moment, formats.second, asItIs] : [asItIs]
  const [first = asItIs] = ways
  if (one === null || other === null)
    return [one === null ? null : drawn(first(one)), other === null ? null : drawn(first(other))]
  const from = Math.max(0, commonLength(one, other) - CONTEXT)
  const cut = (text: string) => `…${text.slice(from).toWellFormed()}`
  const all = [...ways, ...(from > 0 ? [cut] : []), visible]
  const told = all.find((way) => shownText(way(one)) !== shownText(way(other))) ?? visible
  return [drawn(told(one)), drawn(told(other))]
}

function drawn(text: string): Html {
  return textOf(text, '(empty)')
}

function asItIs(text: string): string {
  return text
}

function commonLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** With the spaces and the characters that do not show by their numbers. */
function visible(text: string): string {
  return text.replaceAll(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  )
}
