import { html } from 'hono/html'
import { formatDuration } from '../../../common/text/format-duration.ts'
import type { ReportDocument, ReportMirror } from '../../../mirror/answers/report/document.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import type { KeyFigure } from './page.ts'
import type { Html } from './text.ts'

/** How the mirror stands, in words; what is wrong first. */
export function drawState({ mirror, subject }: ReportDocument, formats: Moments): Html {
  const { last_good_run } = mirror
  const read =
    last_good_run === null
      ? 'No run has read the whole account yet.'
      : `The service was last read in full on ${formats.moment(last_good_run.started_at)}${ageOf(mirror)}.`
  const problems = problemsOf(mirror, subject)
  if (problems.length === 0)
    return html`<p class="state"><b>Whole and fresh.</b> ${read} Nothing is held back or missing.</p>`
  return html`<div class="state warn">
    <p><b>${mirror.standing.whole ? 'Not fresh.' : 'Not whole.'}</b> ${read}</p>
    <ul>
      ${problems.map((problem) => html`<li>${problem}</li>`)}
    </ul>
  </div>`
}

function ageOf({ standing: { age_ms } }: ReportMirror): string {
  return age_ms === null
    ? ''
    : `, ${formatDuration(Math.floor(age_ms / 60_000) * 60_000 || 60_000)} before this page`
}

function problemsOf(
  { standing, last_run, last_good_run }: ReportMirror,
  subject: ReportDocument['subject'],
): readonly string[] {
  const { whole, fresh, held, rejected, failing, unconfirmed } = standing
  const isOfOthers = subject === 'event' && whole && last_run?.status === 'held'
  const failed = last_run !== null && last_run.run_id !== last_good_run?.run_id && !isOfOthers
  return [
    !fresh && 'The last complete reading is more than a day old: figures may have changed since.',
    failed && `The last run (number ${last_run.run_id}) ended as ${last_run.status}.`,
    held > 0 &&
      `${formatCount(held, 'deletion is', 'deletions are')} held back: these rows are still counted.`,
    failing > 0 && `${formatCount(failing, 'list')} could not be read last time: their figures are older.`,
    rejected > 0 &&
      `${formatCount(rejected, 'item')} of the service cannot be stored and ${rejected === 1 ? 'is' : 'are'} not counted.`,
    unconfirmed > 0 &&
      `${formatCount(unconfirmed, 'row was', 'rows were')} missing in one reading and ${unconfirmed === 1 ? 'is' : 'are'} still counted.`,
  ].filter((problem) => problem !== false)
}

export function drawKeyFigures(figures: readonly KeyFigure[]): Html {
  return html`<dl class="figures">
    ${figures.map(
      ({ value, label }) =>
        html`<div>
          <dt>${label}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}
