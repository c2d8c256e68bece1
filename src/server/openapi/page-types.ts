/** Types and bounds of the document in words. */
import { html } from 'hono/html'
import { isRawNumber } from '../../common/json/exact.ts'
import type { Schema } from './notation.ts'
import { TEXT } from './patterns.ts'
import { nameOf, type Html } from './page-text.ts'

export function typeOf({ $ref, type, format, items }: Schema): Html | string {
  if ($ref !== undefined) return objectLink(nameOf({ $ref }))
  if (items !== undefined) return html`array of ${typeOf(items)}`
  return format === undefined ? (type ?? 'any') : `${type}, ${format}`
}

/** What a value must keep to beside its type; what every long integer keeps to goes without saying. */
export function bounds({ format, minimum, maximum, minLength, maxLength, not }: Schema): Html {
  const said: (Html | string)[] = []
  if (format !== 'int64' && minimum !== undefined && maximum !== undefined)
    said.push(` From ${digits(minimum)} to ${digits(maximum)}.`)
  if (maxLength !== undefined) said.push(` From ${minLength ?? 0} to ${maxLength} characters.`)
  for (const text of not?.enum ?? []) said.push(html` Not <code>${text}</code>.`)
  return html`${said}`
}

/** The pattern of a text, folded away: it is for programs. That of every text goes without saying. */
export function pattern({ pattern }: Schema): Html | string {
  if (pattern === undefined || pattern === TEXT) return ''
  return html`<details>
    <summary>Pattern</summary>
    <code>${pattern}</code>
  </details>`
}

function digits(bound: NonNullable<Schema['minimum']>): string {
  return isRawNumber(bound) ? bound.rawJSON : String(bound)
}

function objectLink(name: string): Html {
  return html`<a href="#${name}">${name}</a>`
}
