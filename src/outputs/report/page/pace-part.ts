import { html } from 'hono/html'
import { peopleSoFar } from '../../../mirror/answers/report/pace.ts'
import { PACE_DAYS, type ComparedPace, type PaceLine } from '../../../mirror/answers/report/document.ts'
import { drawPaceChart, type PaceCurve, type PacePoint } from '../charts/pace-chart.ts'
import { formatDays } from '../../../common/text/format-duration.ts'
import type { Moments } from '../../../common/text/moments.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatNumber } from '../formats.ts'
import { drawFigures } from './table.ts'
import { plainTitle, titleOf, type Html } from './text.ts'

/** Days before the event that the table has a row for. */
const ROWS = [90, 60, 45, 30, 21, 14, 10, 7, 5, 3, 2, 1, 0]
/** A chart of one day shows nothing. */
const MIN_DAYS = 7

/** Why these figures are greater than those expected: both are called people. */
export const paceNote = html`<p class="note">
  The pace adds up the people of all responses: maybes and replies without a meaning count, and who replies
  and pays counts twice. Expected counts each person once, by a reply that means coming, a payment or a
  sign-up.
</p>`

/** The pace of one event beside earlier ones, as words, chart and table. On paper, heading and words stay at the chart. */
export function drawPace(pace: ComparedPace, id: string, formats: Moments, heading: Html | '' = ''): Html {
  const { event, similar } = pace
  if (event.days_until > PACE_DAYS)
    return html`${heading}
      <p>The pace is shown from ${PACE_DAYS} days before the event on.</p>`
  const from = firstDay([event, ...similar])
  const curves: readonly PaceCurve[] = [
    ...similar.map(({ days }, at) => ({ name: `earlier${at + 1}`, points: pointsOf(days, from, 0) })),
    { name: 'own', points: pointsOf(event.days, from, Math.max(0, event.days_until)) },
  ]
  const now = curves.at(-1)?.points.at(-1)
  const chart = drawPaceChart({
    label: `People who answered ${plainTitle(event)}, by days before the event; the table below has the figures`,
    curves,
    from,
    now: now === undefined ? null : { point: now, text: peopleText(peopleShown(event)) },
  })
  return html`<div class="whole">${heading}${sentence(pace, formats)}${chart}${legend(pace, formats)}</div>
    ${figures(pace, id, from, formats)}`
}

/** On the last day that the chart has. */
function peopleShown({ days, days_until }: ComparedPace['event']): string {
  return peopleSoFar(days, Math.max(0, days_until)) ?? '0'
}

function peopleText(people: string): string {
  return formatCount(people, 'person', 'people')
}

/** How it stands, in one sentence. */
function sentence({ event, similar }: ComparedPace, formats: Moments): Html {
  const people = event.people_so_far ?? '0'
  const shown = peopleShown(event)
  const now = `${peopleText(people)} so far${people === shown ? '' : `, and ${formatNumber(shown)} by the day of the event`}`
  if (similar.length === 0)
    return html`<p>${now}. No earlier event of the same kind and title has responses to compare with.</p>`
  const earlier = similar.length === 1 ? 'the earlier one' : 'the earlier ones'
  const then = similar.map(
    ({ event_at, people_then }) =>
      `${people_then === null ? 'nobody' : formatNumber(people_then)} (${formats.day(event_at)})`,
  )
  const had = similar.every(({ people_then }) => people_then === null) ? 'nobody yet' : listOf(then)
  return html`<p>${now}. ${whenCompared(event)}, ${earlier} had ${had}.</p>`
}

function whenCompared({ days_until }: ComparedPace['event']): string {
  if (days_until === 0) return 'On their day'
  return `${formatCount(Math.abs(days_until), 'day')} ${days_until < 0 ? 'after' : 'before'}`
}

/** `a`, `a and b`, `a, b and c`. */
function listOf(parts: readonly string[]): string {
  return [parts.slice(0, -1).join(', '), parts.at(-1)].filter((part) => part !== '').join(' and ')
}

function firstDay(lines: readonly PaceLine[]): number {
  const days = lines.flatMap((line) => line.days.map(({ days_before }) => days_before ?? 0))
  return Math.min(PACE_DAYS, Math.max(MIN_DAYS, ...days))
}

/** From the first day of the chart to the last one, though nothing happened on these. */
function pointsOf(days: PaceLine['days'], from: number, to: number): readonly PacePoint[] {
  const points = days.flatMap(({ days_before, people_so_far }): PacePoint[] =>
    days_before === null ? [] : [[Math.min(from, days_before), Number(people_so_far)]],
  )
  const last = points.at(-1)
  return last === undefined || last[0] <= to ? points : [...points, [to, last[1]]]
}

function legend({ event, similar }: ComparedPace, formats: Moments): Html {
  const entries = [
    { name: 'own', line: event, text: formatDays(event.days_until) },
    ...similar.map((line, at) => ({ name: `earlier${at + 1}`, line, text: formats.day(line.event_at) })),
  ]
  return html`<ul class="legend">
    ${entries.map(({ name, line, text }) => {
      const mark = html`<svg viewBox="0 0 32 10" aria-hidden="true">
        <path class="line ${name}" d="M0 5H32"></path>
      </svg>`
      return html`<li>${mark}${titleOf(line)}, ${text}</li>`
    })}
  </ul>`
}

function figures({ event, similar }: ComparedPace, id: string, from: number, formats: Moments): Html {
  const rows = [...new Set([...ROWS, event.days_until])]
    .filter((day) => day >= 0 && day <= from)
    .sort((a, b) => b - a)
  const so = (days: PaceLine['days'], day: number) => {
    const people = peopleSoFar(days, day)
    return people === null ? '–' : formatNumber(people)
  }
  return drawFigures({
    id,
    caption:
      'People of all responses but those that mean no, by days before the event; – where nothing had happened yet, or the day is to come',
    columns: [
      {
        head: 'Days before',
        kind: 'number',
        cell: (day) => (day === event.days_until ? `${day} (today)` : String(day)),
      },
      {
        head: `This one, ${formats.day(event.event_at)}`,
        kind: 'number',
        cell: (day) => (day < event.days_until ? '–' : so(event.days, day)),
      },
      ...similar.map(({ event_at, days }) => ({
        head: formats.day(event_at),
        kind: 'number' as const,
        cell: (day: number) => so(days, day),
      })),
    ],
    rows,
  })
}
