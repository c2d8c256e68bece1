/** The tables of the page: first what a thing is called, then what it is. */
import { html } from 'hono/html'
import type { Answer, Components, Header, Named, Parameter, Schema } from './notation.ts'
import { prose, sentence, type Html } from './page-text.ts'
import { bounds, pattern, typeOf } from './page-types.ts'

type Row = readonly [name: Html, ...cells: readonly Html[]]

export function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(({ name, in: place, required, description, schema, example }): Row => {
    const where = html`<small>${place}, ${typeOf(schema)}${required ? ', required' : ''}</small>`
    const instance = example === undefined ? '' : html` Example: <code>${example}</code>`
    return [html`<code>${name}</code> ${where}`, html`${sentence(description)}${bounds(schema)}${instance}`]
  })
  return table('Parameters', ['Parameter', 'Meaning'], rows)
}

export function fieldTable({ properties = {}, required = [] }: Schema, name: string): Html {
  const rows = Object.entries(properties).map(([field, schema]): Row => {
    const kind = html`<small>${typeOf(schema)}${required.includes(field) ? ', required' : ''}</small>`
    const [instance] = schema.examples ?? []
    const such = instance === undefined ? '' : html` Example: <code>${instance}</code>`
    return [
      html`<code>${field}</code> ${kind}`,
      html`${sentence(schema.description ?? '')}${bounds(schema)}${such}${pattern(schema)}`,
    ]
  })
  return table(`Fields of ${name}`, ['Field', 'Meaning'], rows)
}

/** @param answers by status, and their headers by name */
export function answerTable(answers: readonly (readonly [string, Answer])[]): Html {
  const rows = answers.map(([status, { description, headers = {} }]): Row => {
    const names = Object.keys(headers).map((name) => html` <code>${name}</code>`)
    return [html`<b>${status}</b>`, html`${sentence(description)}<br /><small>Headers:${names}</small>`]
  })
  return table('Answers', ['Answer', 'Meaning'], rows)
}

export function headerTable(headers: Named<Header>): Html {
  const rows = Object.entries(headers).map(([name, { description, schema }]): Row => [
    html`<code>${name}</code> <small>${typeOf(schema)}</small>`,
    html`${sentence(description)}`,
  ])
  return table('Headers of answers', ['Header', 'Meaning'], rows)
}

export function problemTable(responses: Components['responses']): Html {
  const rows = Object.values(responses).map(({ description, headers = {}, content = {} }): Row => {
    const [body] = Object.values(content)
    const { status, code } = body?.schema.allOf?.[1]?.properties ?? {}
    const codes = (code?.enum ?? []).map((word) => html` <code>${word}</code>`)
    const names = Object.keys(headers).map((name) => html` <code>${name}</code>`)
    return [
      html`<b>${status?.const}</b>${codes}`,
      html`${prose(description)}<br /><small>Headers:${names}</small>`,
    ]
  })
  return table('Errors', ['Status and code', 'Meaning'], rows)
}

function table(caption: string, heads: readonly string[], rows: readonly Row[]): Html {
  return html`<table>
    <caption>
      ${caption}
    </caption>
    <thead>
      <tr>
        ${heads.map((head) => html`<th scope="col">${head}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        ([name, ...cells]) =>
          html`<tr>
            <th scope="row">${name}</th>
            ${cells.map((cell) => html`<td>${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
}
