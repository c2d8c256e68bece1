import { html } from 'hono/html'
import type { AccountReport } from '../../../mirror/answers/report/document.ts'
import { formatCount } from '../../../common/text/number.ts'
import { formatNumber } from '../formats.ts'
import { andMore, drawTable } from './table.ts'
import { textOf, type Html } from './text.ts'

/** What may be wrong with the figures, and what they cannot say. */
export function drawQuality({ quality, events, mirror, time_zone }: AccountReport): Html {
  const { without_meaning, set_aside, accepted } = quality
  const { held, rejected, failing, unconfirmed } = mirror.standing
  const rows: readonly (readonly [string, string | number, string])[] = [
    [
      'Deletions held back',
      held,
      'The service no longer lists these rows; they are still counted until that is confirmed.',
    ],
    ['Items that cannot be stored', rejected, 'They are in no figure.'],
    ['Such items that were accepted', accepted, 'They are in no figure either; the owner has seen them.'],
    [
      'Values set aside',
      set_aside,
      'They do not fit their column: the figure counts nothing in their place.',
    ],
    ['Lists that could not be read', failing, 'Their figures are from an earlier reading.'],
    ['Rows missing in one reading', unconfirmed, 'The next reading decides; they are still counted.'],
    [
      'Values of replies without a meaning',
      without_meaning.total,
      'Nobody is expected by them until somebody says what they mean.',
    ],
    [
      'Responses without an e-mail address',
      events.sums.without_email,
      'Each counts as a person of its own, so a person may count twice.',
    ],
  ]
  return html`${drawTable({
      id: 'quality-table',
      caption: 'What to keep in mind with these figures',
      columns: [
        { head: 'What', kind: 'title', cell: ([what]) => what },
        { head: 'Count', kind: 'number', cell: ([, count]) => formatNumber(count) },
        {
          head: 'What it means',
          kind: 'text',
          cell: ([, , meaning]) => html`<span class="muted">${meaning}</span>`,
        },
      ],
      rows,
    })}
    ${drawValues(without_meaning)}
    <h3>What the data cannot tell</h3>
    ${drawLimits(time_zone)}`
}

function drawValues({ total, rows }: AccountReport['quality']['without_meaning']): Html | '' {
  if (rows.length === 0) return ''
  return html`<h3>Replies without a meaning</h3>
    <ul>
      ${rows.map(({ value, responses }) => html`<li>${textOf(value ?? '', '(empty)')}: ${formatCount(responses, 'response')}</li>`)}
    </ul>
    ${andMore(total, rows.length)}`
}

/** What the service does not send. */
export function drawLimits(timeZone: string): Html {
  return html`<ul>
    <li>Who came: these are answers, not attendance.</li>
    <li>How many fit in, and which slots nobody ever took: the service sends neither.</li>
    <li>
      Currency, state and time of a payment: a payment counts when its response was made, and a refund is a
      negative amount.
    </li>
    <li>What was withdrawn before the first reading.</li>
    <li>Days and months are those of ${timeZone}; slots keep the clock of their place.</li>
  </ul>`
}
