/** A message as HTML for a mail: one column, which a telephone shows without zooming, and no colours that a dark mode would fight. */
import { html } from 'hono/html'
import type { Outline, OutlinePart } from './outline.ts'

/** Mail programs drop style sheets, so each element has its own style. */
const styles = {
  body: 'margin:0;padding:16px;max-width:600px;font:16px/1.45 -apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere',
  title: 'margin:0 0 12px;font-size:17px;line-height:1.35',
  paragraph: 'margin:0 0 12px',
  heading: 'margin:16px 0 4px;font-size:16px',
  list: 'margin:0;padding-left:20px',
  item: 'margin:0 0 3px',
  rest: 'margin:4px 0 0;padding-left:20px;opacity:0.75;font-size:14px',
  command: 'font:12px/1.4 ui-monospace,Menlo,Consolas,monospace',
  end: 'margin:16px 0 0;padding-top:10px;border-top:1px solid #8888;opacity:0.75;font-size:14px',
} as const

export function outlineHtml(subject: string, { title, lead, parts, end }: Outline): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${subject}</title>
      </head>
      <body style="${styles.body}">
        <h1 style="${styles.title}">${title}</h1>
        ${lead.map((text) => html`<p style="${styles.paragraph}">${text}</p> `)}${parts.map(partHtml)}${end.map((text) => html`<p style="${styles.end}">${text}</p> `)}
      </body>
    </html> `
  if (page instanceof Promise) throw new Error('A part of the mail is a promise.')
  return page.toString()
}

function partHtml({ heading, items, rest }: OutlinePart) {
  const list =
    items.length === 0
      ? ''
      : html`<ul style="${styles.list}">
          ${items.map((item) => html`<li style="${styles.item}">${item}</li> `)}
        </ul> `
  const more =
    rest === null
      ? ''
      : html`<p style="${styles.rest}">
          ${rest.count}:<br /><code style="${styles.command}">${rest.command}</code>
        </p> `
  return html`<h2 style="${styles.heading}">${heading}</h2>
    ${list}${more}`
}
