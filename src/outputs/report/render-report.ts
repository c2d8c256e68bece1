import { html, raw } from 'hono/html'
import type { ReportDocument } from '../../mirror/answers/report/document.ts'
import { momentsIn, type Moments } from '../../common/text/moments.ts'
import { accountPage } from './page/account-page.ts'
import { eventPage } from './page/event-page.ts'
import { drawKeyFigures, drawState } from './page/head-part.ts'
import { pagePolicy, pageText } from '../export/html-page.ts'
import { SCRIPT } from './embedded/script.ts'
import { drawContents, drawSection, type Page } from './page/page.ts'
import { STYLE } from './embedded/style.ts'
import { textOf, type Html } from './page/text.ts'

/** One HTML file with all that it needs. Nothing of it is loaded from elsewhere. */
export function renderReport(report: ReportDocument): string {
  const formats = momentsIn(report.time_zone)
  const page = report.subject === 'account' ? accountPage(report, formats) : eventPage(report, formats)
  return `${pageText(drawPage(report, page, formats))}\n`
}

function drawPage(
  report: ReportDocument,
  { title, heading, meta, figures, sections }: Page,
  formats: Moments,
): Html {
  const personal = report.with_personal
    ? 'with names and addresses: take care whom you give it to'
    : 'without names and addresses'
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="${pagePolicy({ style: STYLE, script: SCRIPT })}"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex, nofollow" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        ${/* Byte for byte, as the policy says. */ raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <header>
          <h1>${heading}</h1>
          <p class="meta">${meta}</p>
          <p class="meta">
            Account ${textOf(report.account)}, as of ${formats.moment(report.made_at)} (${formats.zone})
          </p>
          ${drawState(report, formats)} ${drawKeyFigures(figures)} ${drawContents(sections)}
        </header>
        <main>${sections.map(drawSection)}</main>
        <footer><p>Made by headcount ${report.version}, ${personal}.</p></footer>
        ${raw(`<script>${SCRIPT}</script>`)}
      </body>
    </html>`
}
