/** Texts of the document in HTML; what is put into a template is escaped there. */
import { html } from 'hono/html'
import type { Document, Parameter, Reference } from './notation.ts'

export type Html = ReturnType<typeof html>

/** Text with the code in it set off. */
export function prose(text: string): readonly (Html | string)[] {
  return text.split('`').map((part, place) => (place % 2 === 1 ? html`<code>${part}</code>` : part))
}

export function paragraphs(text: string): readonly Html[] {
  return text.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)
}

/** A sentence, whether the document ends it or not. */
export function sentence(text: string): readonly (Html | string)[] {
  return prose(/[.:]$/.test(text) ? text : `${text}.`)
}

export function example(value: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`
}

/** The parameter itself, also where only its name among the components is given. */
export function parameterOf({ components }: Document, given: Parameter | Reference): Parameter {
  if (!('$ref' in given)) return given
  const parameter = components.parameters[nameOf(given)]
  if (parameter === undefined) throw new Error(`The document refers to ${given.$ref}, which is not there.`)
  return parameter
}

export function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}
