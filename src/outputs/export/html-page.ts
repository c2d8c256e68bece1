/** Pages of ours: the text of a template, and what a page may load. */
import { hash } from 'node:crypto'
import type { html } from 'hono/html'

/** The type of a template says that its parts may be awaited. */
export function pageText(made: ReturnType<typeof html>): string {
  if (made instanceof Promise) throw new Error('A part of the page is a promise.')
  return made.toString()
}

interface Embedded {
  readonly style: string
  readonly script?: string
}

/** In the page itself: nothing is loaded, and nothing runs and nothing styles but what is ours. */
export function pagePolicy({ style, script }: Embedded): string {
  const hashOf = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`
  return [
    "default-src 'none'",
    // guard: scripts of a report
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** As a header. A page cannot say of itself who may frame it. */
export function headerPolicy(embedded: Embedded): string {
  return `${pagePolicy(embedded)}; frame-ancestors 'none'`
}
