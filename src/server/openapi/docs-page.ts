import { html, raw } from 'hono/html'
import { quoteForShell } from '../../common/command-name.ts'
import { headerPolicy, pageText } from '../../outputs/export/html-page.ts'
import type { Answer, Document, Operation, Schema, SecurityScheme } from './openapi-types.ts'
import {
  answerTable,
  example,
  fieldTable,
  headerTable,
  lastPart,
  parameterTable,
  problemTable,
  prose,
  type Html,
} from './docs-page-parts.ts'
import { STYLE } from './docs-page-style.ts'

/** Stands in the page for its own address, which only a request tells. */
const ORIGIN = 'ORIGIN-OF-THE-PAGE'

export interface DocsPage {
  /** @param origin scheme, host and port as the client has reached them */
  readonly htmlFor: (origin: string) => string
  /** Goes with it as the header `Content-Security-Policy`: nothing is loaded, and nothing runs. */
  readonly contentSecurityPolicy: string
}

/** The document as a page for people, made from the document itself. */
export function docsPage(document: Document): DocsPage {
  const made = pageText(page(document))
  return {
    // As a word of a shell: a client may send any Host.
    htmlFor: (origin) => made.replaceAll(ORIGIN, () => pageText(html`${quoteForShell(origin)}`)),
    contentSecurityPolicy: headerPolicy({ style: STYLE }),
  }
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
        <title>${info.title}</title>
        ${raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        ${header(document, base)}
        <main>
          ${info.description.split('\n\n').map((paragraph) => html`<p>${prose(paragraph)}</p>`)}
          <h2>Start</h2>
          ${Object.values(components.securitySchemes).map((scheme) => start(scheme, base))}
          ${endpoints.map(([path, { get }]) => endpoint(document, base + path, get))}
          <h2 id="fields">Fields</h2>
          ${objects.map(([name, schema]) => fieldsPart(name, schema))}
          <h2 id="headers">Headers</h2>
          ${headerTable(components.headers)}
          <h2 id="errors">Errors</h2>
          ${problemTable(components.responses)} ${example(components.responses['KeyRefused'] ?? NOTHING)}
        </main>
      </body>
    </html>`
}

const NOTHING: Answer = { description: '' }

function header({ info, paths }: Document, base: string): Html {
  const links = Object.entries(paths).map(
    ([path, { get }]) => [get.operationId, html`<code>${path}</code>`] as const,
  )
  const sections = ['Fields', 'Headers', 'Errors'].map((name) => [name.toLowerCase(), name] as const)
  return html`<header>
    <h1>${info.title}</h1>
    <p class="meta">headcount ${info.version} · <a href="${base}/openapi.json">OpenAPI document</a></p>
    <nav aria-label="On this page">
      <ul>
        ${[...links, ...sections].map(([id, name]) => html`<li><a href="#${id}">${name}</a></li>`)}
      </ul>
    </nav>
  </header>`
}

function start({ name, description }: SecurityScheme, base: string): Html {
  return html`<p>
      ${prose(description)} It goes into the header <code>${name}</code>, to the address of this page:
    </p>
    <pre tabindex="0"><code>curl -H '${name}: hc_…' ${ORIGIN}${base}/events</code></pre>`
}

function endpoint({ components }: Document, path: string, operation: Operation): Html {
  const { operationId, summary, description, parameters, responses } = operation
  const taken = parameters.flatMap((given) =>
    '$ref' in given ? (components.parameters[lastPart(given.$ref)] ?? []) : given,
  )
  // What stands among the components can be the response of every route, and is described once.
  const answers = Object.entries(responses).flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [[status, answer] as const],
  )
  return html`<h2 id="${operationId}">GET <code>${path}</code></h2>
    <p><strong>${summary}.</strong> ${prose(description)}</p>
    ${taken.length > 0 ? parameterTable(taken) : ''} ${answerTable(answers)}
    ${answers.map(([, answer]) => example(answer))}`
}

function fieldsPart(name: string, schema: Schema): Html {
  return html`<h3 id="${name}">${name}</h3>
    <p>${prose(schema.description ?? '')}</p>
    ${fieldTable(schema, name)}`
}
