/** Everything that a mirror holds, read back for comparison. */
import type { Database } from '../../../src/db/connect.ts'
import type { Transaction } from '../../../src/db/transaction.ts'

/** A version of an event (`response_id` null) or of a response; times in microseconds since 1970. */
export interface Version {
  readonly event_id: string
  readonly response_id: string | null
  readonly from: number
  /** Infinity while it is live. */
  readonly to: number
  readonly end: 'update' | 'delete' | null
  readonly document: unknown
  /** Of a live version: when the row came. */
  readonly firstSeen: number | null
}

export interface State {
  readonly digest: string | null
  readonly held: readonly { readonly reason: string; readonly ids: readonly string[] }[]
  /** Ids that one reading lacked, of a list in several pages. */
  readonly unconfirmed: readonly string[]
  readonly error_code: string | null
  readonly step: number | null
  /** Seconds from the last check until the next; null: at the next run. */
  readonly wait: number | null
}

export interface Contents {
  /** The database's clock when this was read, in microseconds since 1970. */
  readonly at: number
  readonly versions: readonly Version[]
  /** By event id; '' is the event list. */
  readonly states: ReadonlyMap<string, State>
  /** The rows of one table, or of all, as JSON text in order. */
  readonly rows: (table?: Table) => readonly string[]
  readonly lastRun: { readonly status: string; readonly report: unknown } | null
  /** Payments, slots and responses that hang on nothing. */
  readonly orphans: number
}

const tables = [
  'accounts',
  'events',
  'responses',
  'payments',
  'slots',
  'event_history',
  'response_history',
  'rejects',
  'accepted_rejects',
  'sync_runs',
  'sync_state',
  'api_observations',
  'api_keys',
] as const
export type Table = (typeof tables)[number]

/** Of a mirror that was just made. */
export const nothing: Contents = {
  at: 0,
  versions: [],
  states: new Map(),
  rows: () => [],
  lastRun: null,
  orphans: 0,
}

export function readContents(database: Database): Promise<Contents> {
  return database.transaction(
    async (trx) => ({
      at: Number((await select(trx, `select ${micros('clock_timestamp()')}`))[0]?.[0]),
      versions: await readVersions(trx),
      states: await readStates(trx),
      rows: await readRows(trx),
      lastRun: await readLastRun(trx),
      orphans: await countOrphans(trx),
    }),
    { readOnly: true },
  )
}

async function select(trx: Transaction, text: string): Promise<readonly (readonly unknown[])[]> {
  return (await trx.query(text)).rows
}

async function readVersions(trx: Transaction): Promise<Version[]> {
  const rows = await select(
    trx,
    `select id, null::bigint, ${micros('_changed_at')}, null::text, null, headcount_internal.event_document(e),
            ${micros('_first_seen_at')}
       from headcount.events e
     union all
     select event_id, id, ${micros('_changed_at')}, null, null, headcount_internal.response_document(r),
            ${micros('_first_seen_at')}
       from headcount.responses r
     union all
     select event_id, null, ${micros('valid_from')}, ${micros('valid_to')}, operation, document, null
       from headcount.event_history
     union all
     select event_id, response_id, ${micros('valid_from')}, ${micros('valid_to')}, operation, document, null
       from headcount.response_history`,
  )
  return rows.map(([event_id, response_id, from, to, end, document, firstSeen]) => ({
    event_id: String(event_id),
    response_id: typeof response_id === 'string' ? response_id : null,
    from: Number(from),
    to: to === null ? Infinity : Number(to),
    end: end === 'update' || end === 'delete' ? end : null,
    document,
    firstSeen: firstSeen === null ? null : Number(firstSeen),
  }))
}

function micros(instant: string): string {
  return `(extract(epoch from ${instant}) * 1000000)::bigint::text`
}

async function readStates(trx: Transaction): Promise<ReadonlyMap<string, State>> {
  const rows = await select(
    trx,
    `select event_id, digest, coalesce(held_deletions, '[]'), coalesce(unconfirmed_absences, '[]'), error_code,
            poll_interval_s, extract(epoch from next_check_at - checked_at)::int
       from headcount.sync_state`,
  )
  return new Map(
    rows.map(([event_id, digest, held, unconfirmed, error_code, step, wait]) => [
      String(event_id),
      { digest, held, unconfirmed, error_code, step, wait } as State,
    ]),
  )
}

async function readRows(trx: Transaction): Promise<Contents['rows']> {
  const rows = await select(
    trx,
    tables
      .map((table) => `select '${table}', to_jsonb(t)::text from headcount.${table} t`)
      .join('\nunion all\n'),
  )
  const all = rows.map(([table, text]) => ({ table, text: String(text) })).toSorted(byText)
  return (wanted) => all.flatMap(({ table, text }) => (wanted === undefined || table === wanted ? text : []))
}

function byText(one: { readonly text: string }, other: { readonly text: string }): number {
  return one.text < other.text ? -1 : 1
}

async function readLastRun(trx: Transaction): Promise<Contents['lastRun']> {
  const [row] = await select(trx, 'select status, report from headcount.sync_runs order by id desc limit 1')
  return row === undefined ? null : { status: String(row[0]), report: row[1] }
}

async function countOrphans(trx: Transaction): Promise<number> {
  const lacksResponse = (table: string) =>
    `select count(*) from headcount.${table} p
      where not exists (select 1 from headcount.responses r
                         where (r.account_id, r.event_id, r.id) = (p.account_id, p.event_id, p.response_id))`
  const [row] = await select(
    trx,
    `select (${lacksResponse('payments')}) + (${lacksResponse('slots')})
          + (select count(*) from headcount.responses r
              where not exists (select 1 from headcount.events e
                                 where (e.account_id, e.id) = (r.account_id, r.event_id)))`,
  )
  return Number(row?.[0])
}
