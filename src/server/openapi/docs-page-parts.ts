/** Texts, types and tables of the document in HTML; what is put into a template is escaped there. */
import { html } from 'hono/html'
import { isRawNumber } from '../../common/json/exact.ts'
import type { Answer, Header, Named, Parameter, Schema } from './openapi-types.ts'
import { TEXT } from './patterns.ts'

export type Html = ReturnType<typeof html>

/** Text with the code in it set off. */
export function prose(text: string): readonly (Html | string)[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
}

export function example({ content = {} }: Answer): readonly Html[] {
  return Object.values(content).map(
    ({ example }) => html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`,
  )
}

export function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: where, example, ...parameter }) =>
    describedValue({
      ...parameter,
      name: html`<code>${name}</code>`,
      where: `${where}, `,
      examples: [example],
    }),
  )
  return table('Parameters', 'Parameter', rows)
}

export function fieldTable({ properties = {}, required = [] }: Schema, name: string): Html {
  const rows = Object.entries(properties).map(([field, schema]) =>
    describedValue({
      name: html`<code>${field}</code>`,
      required: required.includes(field),
      description: schema.description ?? '',
      schema,
      examples: schema.examples ?? [],
    }),
  )
  return table(`Fields of ${name}`, 'Field', rows)
}

export function headerTable(headers: Named<Header>): Html {
  const rows = Object.entries(headers).map(([name, { description, schema }]) =>
    describedValue({ name: html`<code>${name}</code>`, required: false, description, schema, examples: [] }),
  )
  return table('Headers of answers', 'Header', rows)
}

/** @param answers by status */
export function answerTable(answers: readonly (readonly [status: string, Answer])[]): Html {
  const rows = answers.map(([status, answer]): Row => [html`<b>${status}</b>`, describedAnswer(answer)])
  return table('Answers', 'Answer', rows)
}

export function problemTable(responses: Named<Answer>): Html {
  const rows = Object.values(responses).map((answer): Row => {
    const [body] = Object.values(answer.content ?? {})
    const { status, code } = body?.schema.allOf?.[1]?.properties ?? {}
    return [html`<b>${status?.const}</b>${codes(code?.enum ?? [])}`, describedAnswer(answer)]
  })
  return table('Errors', 'Status and code', rows)
}

function describedAnswer({ description, headers = {} }: Answer): Html {
  return html`${sentence(description)}<br /><small>Headers:${codes(Object.keys(headers))}</small>`
}

/** A sentence, whether the document ends it or not. */
function sentence(text: string): readonly (Html | string)[] {
  return prose(/[.:]$/.test(text) ? text : `${text}.`)
}

function codes(words: readonly unknown[]): readonly Html[] {
  return words.map((word) => html` <code>${String(word)}</code>`)
}

type Row = readonly [name: Html, meaning: Html]

interface DescribedValue {
  readonly name: Html
  readonly where?: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly examples: readonly (string | number | undefined)[]
}

function describedValue({
  name,
  where = '',
  required,
  description,
  schema,
  examples: [first],
}: DescribedValue): Row {
  const instance = first === undefined ? '' : html` Example: <code>${first}</code>`
  return [
    html`${name} <small>${where}${typeOf(schema)}${required ? ', required' : ''}</small>`,
    html`${sentence(description)}${bounds(schema)}${instance}${patternOf(schema)}`,
  ]
}

function typeOf({ $ref, type, format, items }: Schema): Html | string {
  if ($ref !== undefined) return html`<a href="#${lastPart($ref)}">${lastPart($ref)}</a>`
  if (type === undefined) return 'any'
  if (items !== undefined) return html`array of ${typeOf(items)}`
  return format === undefined ? type : `${type}, ${format}`
}

/** Of the name of a component. */
export function lastPart($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

/** What a value must keep to beside its type; what every long integer keeps to goes without saying. */
function bounds({ format, minimum, maximum, minLength, maxLength, not }: Schema): readonly (Html | string)[] {
  const hasRange = format !== 'int64' && minimum !== undefined && maximum !== undefined
  return [
    hasRange ? ` From ${digits(minimum)} to ${digits(maximum)}.` : '',
    maxLength === undefined ? '' : ` From ${minLength ?? 0} to ${maxLength} characters.`,
    ...(not?.enum ?? []).map((text) => html` Not <code>${text}</code>.`),
  ]
}

function digits(bound: NonNullable<Schema['minimum']>): string {
  return isRawNumber(bound) ? bound.rawJSON : String(bound)
}

/** Folded away: it is for programs. That of every text goes without saying. */
function patternOf({ pattern }: Schema): Html | string {
  if (pattern === undefined || pattern === TEXT) return ''
  return html`<details>
    <summary>Pattern</summary>
    <code>${pattern}</code>
  </details>`
}

function table(caption: string, head: string, rows: readonly Row[]): Html {
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <tr>
      <th scope="col">${head}</th>
      <th scope="col">Meaning</th>
    </tr>
    ${rows.map(
      ([name, meaning]) =>
        html`<tr>
          <th scope="row">${name}</th>
          <td>${meaning}</td>
        </tr>`,
    )}
  </table>`
}
