import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import { openApi } from './document.ts'
import type { Answer, Document, Operation, Schema } from './notation.ts'
import { answerTable, fieldTable, headerTable, parameterTable, problemTable } from './page-tables.ts'
import { example, paragraphs, parameterOf, prose, type Html } from './page-text.ts'
import { STYLE } from './page-style.ts'

/** Of the page's own address, which it does not know. */
const ORIGIN = 'http://HOST:PORT'

export interface DocsPage {
  readonly html: string
  /** Goes with it as the header `Content-Security-Policy`: nothing is loaded, and nothing runs. */
  readonly contentSecurityPolicy: string
}

/** The document as a page for people, made from the document itself. */
export function docsPage(): DocsPage {
  const digest = createHash('sha256').update(STYLE).digest('base64')
  const rules = [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]
  return {
    html: textOf(page(openApi())),
    contentSecurityPolicy: [...rules, "frame-ancestors 'none'"].join('; '),
  }
}

/** The type of a template says that its parts may be awaited. */
function textOf(made: Html): string {
  if (made instanceof Promise) throw new Error('A part of the page is a promise.')
  return made.toString()
}

function page(document: Document): Html {
  const { info, servers, paths, components } = document
  const base = servers[0]?.url ?? ''
  const endpoints = Object.entries(paths)
  const objects = Object.entries(components.schemas).filter(([, { properties }]) => properties !== undefined)
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title}</title>
        ${raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${info.title}</h1>
          <p class="meta">headcount ${info.version} · <a href="${base}/openapi.json">OpenAPI document</a></p>
          <nav aria-label="On this page">
            <ul>
              ${endpoints.map(
                ([path, { get }]) =>
                  html`<li>
                    <a href="#${get.operationId}"><code>${path}</code></a>
                  </li> `,
              )}
              <li><a href="#fields">Fields</a></li>
              <li><a href="#headers">Headers</a></li>
              <li><a href="#errors">Errors</a></li>
            </ul>
          </nav>
        </header>
        <main>
          <section>
            ${paragraphs(info.description)}
            <h2 id="start">Start</h2>
            ${Object.values(components.securitySchemes).map(
              ({ name, description }) =>
                html`<p>
                    ${prose(description)} It goes into the header <code>${name}</code>, to the host and port
                    of this page:
                  </p>
                  <pre tabindex="0"><code>curl -H '${name}: hc_…' ${ORIGIN}${base}/events</code></pre>`,
            )}
          </section>
          ${endpoints.map(([path, { get }]) => endpoint(document, base + path, get))}
          <section aria-labelledby="fields">
            <h2 id="fields">Fields</h2>
            ${objects.map(([name, schema]) => object(name, schema))}
          </section>
          <section aria-labelledby="headers">
            <h2 id="headers">Headers</h2>
            ${headerTable(components.headers)}
          </section>
          <section aria-labelledby="errors">
            <h2 id="errors">Errors</h2>
            ${problemTable(components.responses)} ${exampleOf(components.responses['KeyRefused'])}
          </section>
        </main>
      </body>
    </html>`
}

function endpoint(document: Document, path: string, operation: Operation): Html {
  const { operationId, summary, description, parameters, responses } = operation
  const taken = parameters.map((parameter) => parameterOf(document, parameter))
  // What stands among the components can be the answer everywhere, and is told once.
  const answers = Object.entries(responses).flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [[status, answer] as const],
  )
  return html`<section aria-labelledby="${operationId}">
    <h2 id="${operationId}"><span class="method">GET</span> <code>${path}</code></h2>
    <p><strong>${summary}.</strong> ${prose(description)}</p>
    ${taken.length > 0 ? parameterTable(taken) : ''} ${answerTable(answers)}
    ${answers.map(([, answer]) => exampleOf(answer))}
  </section>`
}

function object(name: string, schema: Schema): Html {
  return html`<h3 id="${name}">${name}</h3>
    <p>${prose(schema.description ?? '')}</p>
    ${fieldTable(schema, name)}`
}

function exampleOf(answer: Answer | undefined): Html | string {
  const [body] = Object.values(answer?.content ?? {})
  return body === undefined ? '' : example(body.example)
}
