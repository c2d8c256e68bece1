import { html } from 'hono/html'
import type { Html } from './text.ts'

/** What the pages of an account and of an event differ in. */
export interface Page {
  readonly title: string
  readonly heading: Html
  readonly meta: string
  readonly figures: readonly KeyFigure[]
  readonly sections: readonly Section[]
}

/** Figures at the top: what each is, below its number. */
export interface KeyFigure {
  readonly value: string
  readonly label: string
}

export interface Section {
  readonly id: string
  readonly title: string
  readonly body: Html
}

export function drawSection({ id, title, body }: Section): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>`
}

/** Where the parts are. */
export function drawContents(sections: readonly Section[]): Html {
  return html`<nav aria-label="Parts of this page">
    <ul>
      ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`
}
