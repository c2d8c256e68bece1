/** What the database says of a user's own statement, without remedies that are meant for our statements. */
import { CANCELLED, codeOf, READ_ONLY } from '../../db/errors/sqlstate.ts'
import { DatabaseError, UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { displayWidth } from '../../common/text/display-width.ts'
import { formatDuration } from '../../common/text/format-duration.ts'
import {
  codePoints,
  isAtStart,
  ACCEPTED_STATEMENTS,
  type ExplainStatement,
  type RowsStatement,
} from './statement.ts'

/** What was sent: something of ours, and behind it the user's text. */
interface SentText {
  readonly prefix: string
  readonly part: RowsStatement | ExplainStatement
}

/** Classes of SQLSTATE that are no fault of the statement: connection, conflicts, locks, resources, operator intervention, internal errors. */
const NOT_THE_STATEMENT = /^(?:08|25P|40|53|55P|57|58|XX)/

/** SQLSTATE of a syntax error, and of what is not supported. */
const SYNTAX = '42601'
const UNSUPPORTED = '0A000'

/** The longest time that a query may block other users of the database: a client of `serve` gets a 503 after 5 s. */
export const MAX_WAIT_MS = 4000

export function queryTimeoutError(timeoutMs: number): DatabaseError {
  return new DatabaseError(
    `query: the statement took longer than ${formatDuration(timeoutMs)}; ${optionName('timeoutMs')} allows another time`,
  )
}

/** Of what is answered by the process that has the folder open. */
export function statementLimitError(what: string, remedy: string, cause?: unknown): DatabaseError {
  return new DatabaseError(
    `${what}: ended, for while it computes no run and no client of serve gets the folder: they wait for ${MAX_WAIT_MS / 1000} s at most. ` +
      `${remedy}; or stop the process that has the folder open, and ask again; or keep the mirror in Postgres, which many processes can use at once.`,
    { cause },
  )
}

/** An error in the statement is the caller's: a usage error. Any other passes as it is. */
export function toQueryError(error: unknown, timeoutMs: number | null, sent?: SentText): unknown {
  const code = codeOf(error)
  if (!(error instanceof DatabaseError) || !(error.cause instanceof Error) || code === null) return error
  if (code === CANCELLED && timeoutMs !== null) return queryTimeoutError(timeoutMs)
  if (error.cause.message.startsWith('bind message supplies')) {
    return new UsageError('query: there are no parameters here: write values in place of $1', {
      cause: error.cause,
    })
  }
  if (!/^[0-9A-Z]{5}$/.test(code) || NOT_THE_STATEMENT.test(code)) return error
  return new UsageError(describeQueryError(error.cause, code, sent), { cause: error.cause })
}

function describeQueryError(cause: Error, code: string, sent: SentText | undefined): string {
  const message = cause.message
  if (message.includes('multiple commands')) {
    return 'query takes one statement; this text holds several, and none was run'
  }
  if (code === UNSUPPORTED && message.includes('data-modifying'))
    return 'query only reads: WITH may not insert, update, delete or merge'
  if (code === READ_ONLY) return `query only reads: ${message}`
  const position = sent === undefined ? null : positionInText(cause, sent)
  const isUnknown =
    code === SYNTAX && sent !== undefined && position !== null && isAtStart(sent.part, position)
  if (isUnknown) return `query: ${message}; ${ACCEPTED_STATEMENTS}, and only reads`
  const where = sent === undefined || position === null ? [] : [excerptAt(sent.part.whole, position)]
  const remarks = [
    ['Detail', 'detail'],
    ['Hint', 'hint'],
  ].flatMap(([name, field = '']) => {
    const remark: unknown = Reflect.get(cause, field)
    return typeof remark === 'string' ? [`${name}: ${remark}`] : []
  })
  return [`query: ${message}`, ...where, ...remarks].join('\n')
}

/** Where in the user's text, in characters from 1: the server counts from the beginning of ours. */
function positionInText(cause: Error, { prefix, part }: SentText): number | null {
  if (!('position' in cause) || typeof cause.position !== 'string') return null
  const position =
    Number(cause.position) - codePoints(prefix).length + codePoints(part.whole.slice(0, part.start)).length
  return position >= 1 ? position : null
}

/** Characters of the line that are shown, and how many of them before the place. */
const SHOWN = 70
const BEFORE = 50

/** The line of the statement, with a caret below the place: `line 3: select nam` and `               ^`. */
function excerptAt(text: string, position: number): string {
  const before = codePoints(text)
    .slice(0, position - 1)
    .join('')
  const number = before.split(/\r\n|\r|\n/).length
  const start = codePoints(before.slice(Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1))
  const rest = codePoints(text.slice(before.length).split(/[\r\n]/, 1)[0] ?? '')
  const head = `line ${number}: ${start.length > BEFORE ? '…' : ''}`
  const shown = blankLess(start.slice(-BEFORE).join(''))
  const room = SHOWN - Math.min(start.length, BEFORE)
  const tail = blankLess(rest.slice(0, room).join('')) + (rest.length > room ? '…' : '')
  return `${head}${shown}${tail}\n${' '.repeat(head.length + displayWidth(shown))}^`
}

/** The width of a tab depends on its column. */
const blankLess = (text: string) => text.replaceAll('\t', ' ')
