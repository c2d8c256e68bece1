/** Who is due: accounts by their schedule and zone, so that a schedule is computed once for all who have it. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import { createTicks } from '../schedule/cron-ticks.ts'

/** An account as the queue sees it. */
export interface QueueAccount {
  readonly name: string
  /** Of its service. */
  readonly host: string
  /** In cron's form: five fields, or six with seconds. */
  readonly schedule: string
  readonly timezone: string
}

/** The accounts of one schedule in one zone. */
export interface DueGroup {
  readonly schedule: string
  readonly timezone: string
  readonly accounts: readonly QueueAccount[]
}

/** The groups by their key. */
export function groupBySchedule(accounts: readonly QueueAccount[]): ReadonlyMap<string, DueGroup> {
  const groups = new Map<string, DueGroup & { readonly accounts: QueueAccount[] }>()
  for (const account of accounts) {
    const { schedule, timezone } = account
    const key = groupKey(schedule, timezone)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { schedule, timezone, accounts: [account] })
    else known.accounts.push(account)
  }
  return groups
}

export function groupKey(schedule: string, timezone: string): string {
  return JSON.stringify([schedule, timezone])
}

/** Equal where the same accounts are due at the same times. */
export function digestOfGroups(groups: ReadonlyMap<string, DueGroup>): string {
  const hash = createHash('sha256')
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [key, { accounts }] of sorted) {
    const names = accounts.map(({ name }) => name).sort((a, b) => (a < b ? -1 : 1))
    hash.update(JSON.stringify([key, names]))
  }
  return hash.digest('hex')
}

/** More ticks than lie between two clocks that agree well enough to send. */
const LOOKAHEAD_TICKS = 20

/**
 * The first time after `served` that is still to come: of all times that were missed, one is served.
 *
 * @throws ConfigurationError for an invalid schedule
 */
export function nextDue({ schedule, timezone }: Pick<DueGroup, 'schedule' | 'timezone'>, served: Date): Date {
  const ticks = createTicks(schedule, timezone)
  try {
    const upcoming = ticks.next(LOOKAHEAD_TICKS)
    // The clock of this process may be behind the database's: the time that was served is then to come here.
    // guard: one job a due time
    const next = upcoming.find((at) => at.getTime() > served.getTime())
    return next ?? new Date(served.getTime() + 1000)
  } finally {
    ticks.stop()
  }
}

/** The accounts of which the mirror has nothing: one that was added is due at once, whenever its schedule has its next time. */
export async function neverRead(
  { kysely }: Transaction,
  groups: ReadonlyMap<string, DueGroup>,
): Promise<readonly QueueAccount[]> {
  // The first run makes the tables.
  const { rows: made } = await sql`select where to_regclass('headcount.accounts') is not null`.execute(kysely)
  if (made.length === 0) return []
  const accounts = [...groups.values()].flatMap((group) => group.accounts)
  const { rows } = await sql<{ name: string }>`
    select name from json_array_elements_text(${JSON.stringify(accounts.map(({ name }) => name))}::json) as listed (name)
     where not exists (select from headcount.accounts a where a.name = listed.name)`.execute(kysely)
  const names = new Set(rows.map(({ name }) => name))
  return accounts.filter(({ name }) => names.has(name))
}
