/** The end of a command over many accounts, for people: how many ended how, and what needs a look. */
import { formatDuration } from '../../../common/text/format-duration.ts'
import { nameSome } from '../../../common/text/name-some.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'
import { shortenLines } from './account-result.ts'
import { worstFirst } from '../../exit-codes.ts'
import { below, listTable, right } from '../../output/format/table.ts'
import type { Config } from '../../../config/config.ts'
import type { Logger } from '../../../index.ts'
import { showsProgress } from '../../terminal/logger.ts'
import type { Output } from '../../terminal/terminal.ts'

/** What is kept of an account until the end. */
export interface AccountRow {
  /** null: of an entry without a name. */
  readonly account: string | null
  readonly exitCode: number
  /** In a word or two, like `succeeded` or `key refused`. */
  readonly outcome: string
  /** Rows that changed, or differ; null when there is no report. */
  readonly changed: number | null
  readonly durationMs: number | null
  /** What went wrong; empty when nothing did. */
  readonly why: string
}

/** So many accounts are shown one by one, also when all is well. */
const MAX_GOOD = 20
/** Lines of accounts that need a look; the JSON has all. */
const MAX_BAD = 40
const MAX_WHY = 300
const MAX_NAMED = 3

/** What is told of an account at the end. */
export type Summary = Pick<AccountRow, 'outcome' | 'changed' | 'durationMs' | 'why'>

interface TableOf {
  /** Of the command, in a word. */
  readonly name: string
  readonly changedHeading: string
  readonly onlyBad?: boolean
}

interface End {
  readonly durationMs: number
  readonly config: Pick<Config, 'logFormat' | 'logLevel'>
  readonly logger: Logger
  readonly err: Output
}

/** The table for people, with `--quiet` only when there is something to do; one line where logs are asked for. */
export async function concludeAccounts(
  command: { readonly name: string; readonly changedHeading: string },
  rows: readonly AccountRow[],
  { durationMs, config, logger, err }: End,
): Promise<void> {
  const bad = rows.filter(({ exitCode }) => exitCode !== 0)
  if (config.logFormat === 'json') {
    const fields = { accounts: rows.length, failing: bad.length, duration_ms: Math.round(durationMs) }
    logger[bad.length === 0 ? 'info' : 'warn'](fields, headline(command.name, rows, durationMs))
    return
  }
  const isQuiet = !showsProgress(config)
  if (bad.length > 0 || !isQuiet)
    await err.write(formatAccounts({ ...command, onlyBad: isQuiet }, rows, durationMs, err))
}

/** Of a page that is no terminal. */
const WIDTH = 80

export function formatAccounts(
  { name, changedHeading, onlyBad = false }: TableOf,
  rows: readonly AccountRow[],
  durationMs: number,
  out: Pick<Output, 'style' | 'width'>,
): string {
  const bad = rows.filter(({ exitCode }) => exitCode !== 0)
  const shown = rows.length <= MAX_GOOD && !onlyBad ? rows : bad
  const groups = groupsOf(shown).sort((one, other) => rank(one) - rank(other))
  const listed = groups.slice(0, MAX_BAD)
  const left = groups.slice(MAX_BAD).reduce((sum, { accounts }) => sum + accounts.length, 0)
  return [
    `${headline(name, rows, durationMs)}\n`,
    listed.length === 0
      ? ''
      : listTable({ ...out, width: out.width ?? WIDTH }, listed, [
          ['account', ({ accounts }) => nameSome(accounts, MAX_NAMED)],
          ['result', ({ outcome }) => outcome],
          [right(changedHeading), ({ changed }) => (changed === null ? '' : formatNumber(changed))],
          [right('time'), ({ durationMs: ms }) => (ms === null ? '' : formatDuration(ms))],
          [below('why'), ({ why }) => shortenLines(why, MAX_WHY)],
        ]),
    left === 0 ? '' : `and ${formatCount(left, 'more account')}: see --json\n`,
  ].join('')
}

export function headline(command: string, rows: readonly AccountRow[], durationMs: number): string {
  const counts = Map.groupBy(
    [...rows].sort((one, other) => rank(other) - rank(one)),
    ({ outcome }) => outcome,
  )
  const told = [...counts].map(([outcome, own]) => `${formatNumber(own.length)} ${outcome}`)
  return `${command} of ${formatCount(rows.length, 'account')} in ${formatDuration(durationMs)}: ${told.join(', ')}`
}

interface Group extends Omit<AccountRow, 'account'> {
  readonly accounts: readonly string[]
}

/** What went wrong in the same words for several accounts is told once. */
function groupsOf(rows: readonly AccountRow[]): Group[] {
  const groups = Map.groupBy(rows, ({ account, outcome, why }) =>
    why === '' ? `account ${account}` : `${outcome} ${why}`,
  )
  return [...groups.values()].flatMap((own) => {
    const [first] = own
    if (first === undefined) return []
    const accounts = own.map(({ account }) => account ?? 'an entry')
    return own.length === 1 ? { ...first, accounts } : { ...first, accounts, changed: null, durationMs: null }
  })
}

function rank({ exitCode }: Pick<AccountRow, 'exitCode'>): number {
  const place = worstFirst.indexOf(exitCode)
  return place === -1 ? 2 : place
}
