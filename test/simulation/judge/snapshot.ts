/** Reads the whole mirror, by statements of the simulation's own, into the form of the model. */
import type { Identity } from '../model/another-account.ts'
import type { Ask, Engine } from '../engine/engine.ts'
import { canary } from '../service/keys.ts'
import { emptyUnit, LIST } from '../model/mirror.ts'
import type { Ended, Facts, Mirror, Unit } from '../model/mirror.ts'
import { canonical, meant } from '../account/items.ts'
import type { RunOnRecord } from './runs-on-record.ts'
import type { EventRow, ResponseRow } from '../account/items.ts'

/** A version with its span, in microseconds since 1970; `to` is null while it is live. */
export interface Version {
  readonly key: string
  readonly from: number
  readonly to: number | null
  readonly operation: string | null
  readonly document: string | null
}

export interface Seen {
  /** The database's clock. */
  readonly at: number
  readonly mirror: Mirror
  readonly versions: readonly Version[]
  /** In their order. */
  readonly runs: readonly RunOnRecord[]
  /** Of the last one. */
  readonly report: unknown
  readonly identity: Identity
  /** Payments and slots without a response, responses without an event. */
  readonly orphans: number
}

const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
const wall = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.US')`
const micros = (column: string) => `(extract(epoch from ${column}) * 1000000)::bigint::text`

/** Planned once. */
export const prepareLook = `prepare simulation_look as
  select 'now', ${micros('clock_timestamp()')}
  union all
  select 'event', json_build_array(${micros('_changed_at')}, json_build_object('id', id, 'title', title,
    'event_at', ${utc('event_at')}, 'description', description, 'event_type', event_type, 'location', location,
    'extra', _extra))::text from headcount.events
  union all
  select 'response', json_build_array(event_id, ${micros('_changed_at')}, json_build_object('id', id::text, 'kind', kind,
    'name', name, 'email', email, 'message', message, 'quantity', quantity::text, 'rsvp', rsvp,
    'created_at', ${utc('created_at')}, 'updated_at', ${utc('updated_at')}, 'extra', _extra,
    'payment', (select json_build_object('amount', amount::text, 'processing_fee', processing_fee::text)
       from headcount.payments p where (p.account_id, p.event_id, p.response_id) = (r.account_id, r.event_id, r.id)),
    'slots', coalesce((select json_agg(json_build_object('name', s.name, 'start_date', ${utc('start_date')},
       'end_date', ${utc('end_date')}, 'start_local', ${wall('start_local')}, 'end_local', ${wall('end_local')},
       'extra', s._extra) order by position)
       from headcount.slots s where (s.account_id, s.event_id, s.response_id) = (r.account_id, r.event_id, r.id)),
       '[]')))::text from headcount.responses r
  union all
  select 'past', json_build_array(event_id, response_id::text, ${micros('valid_from')}, ${micros('valid_to')}, operation,
    document)::text
    from (select event_id, null::bigint as response_id, valid_from, valid_to, operation, document
            from headcount.event_history
          union all
          select event_id, response_id, valid_from, valid_to, operation, document from headcount.response_history) h
  union all
  select 'reject', json_build_array(coalesce(event_id, ''), item_index, sha256)::text from headcount.rejects
  union all
  select 'state', json_build_array(event_id, ${micros('checked_at')}, poll_interval_s, error_code, set_aside,
    held_deletions, held_deletion_count, etag, ${micros('last_full_read_at')}, backfill_id, unconfirmed_absences)::text from headcount.sync_state
  union all
  select 'run', json_build_array(id, mode, named_events_only, status, ${micros('started_at')}, backfill_id, report)::text
    from headcount.sync_runs
  union all
  select 'identity', json_build_object('email', email, 'key', key_sha256)::text from headcount.accounts
  union all
  select 'orphans', (
    (select count(*) from headcount.responses r where not exists (select 1 from headcount.events e
       where (e.account_id, e.id) = (r.account_id, r.event_id)))
    + (select count(*) from headcount.payments p where not exists (select 1 from headcount.responses r
       where (r.account_id, r.event_id, r.id) = (p.account_id, p.event_id, p.response_id)))
    + (select count(*) from headcount.slots p where not exists (select 1 from headcount.responses r
       where (r.account_id, r.event_id, r.id) = (p.account_id, p.event_id, p.response_id))))::text`

/** Most rows are what they were at the last look: their text is parsed once. */
export class Memory {
  readonly #known = new Map<string, unknown>()

  parse<T>(text: string): T {
    const known = this.#known.get(text) ?? meant(text)
    this.#known.set(text, known)
    return known as T
  }
}

/**
 * @param minute now, in simulated time: what the database says of times is told in the same
 * @param clockAhead how many minutes the clock of the database is ahead of that of the runs
 */
export async function look(ask: Ask, minute: number, clockAhead: number, memory: Memory): Promise<Seen> {
  const rows = Map.groupBy(await ask('execute simulation_look'), ([kind]) => kind)
  const of = (kind: string) => (rows.get(kind) ?? []).map(([, text]) => text ?? null)
  const parsed = <T>(kind: string) => of(kind).map((text) => memory.parse<T>(text ?? 'null'))
  const at = Number(of('now')[0])
  // Ten minutes are the unit of simulated time; the real time that passes meanwhile is far below it.
  const minuteOf = (time: number) => minute - Math.round((at - time) / 600e6) * 10
  const units = new Map<string, Opened>()
  const unit = (id: string) => units.get(id) ?? open(units, id)
  const versions: Version[] = []

  for (const [from, record] of parsed<[string, EventRow]>('event')) {
    unit(record.id).record = record
    versions.push({ key: record.id, from: Number(from), to: null, operation: null, document: null })
  }
  for (const [event_id, from, row] of parsed<[string, string, ResponseRow]>('response')) {
    unit(event_id).responses.set(row.id, row)
    versions.push({
      key: `${event_id} ${row.id}`,
      from: Number(from),
      to: null,
      operation: null,
      document: null,
    })
  }
  const past = parsed<[string, string | null, string, string, 'update' | 'delete', unknown]>('past')
  for (const [event_id, id, from, to, operation, document] of past.sort(
    (a, b) => Number(a[3]) - Number(b[3]) || Number(a[2]) - Number(b[2]),
  )) {
    const ended = { document: canonical(document), operation }
    const { recordHistory, history } = unit(event_id)
    if (id === null) recordHistory.push(ended)
    else history.set(id, [...(history.get(id) ?? []), ended])
    versions.push({
      key: id === null ? event_id : `${event_id} ${id}`,
      from: Number(from),
      to: Number(to),
      ...ended,
    })
  }
  for (const [id, index, sha256] of parsed<[string, number, string]>('reject'))
    unit(id).rejects.push({ index, sha256 })
  for (const row of parsed<StateRow>('state')) {
    const [id, checked, step, failure, asides, held, heldCount, etag, read, backfill, unconfirmed] = row
    const groups = (held ?? []).flatMap(({ since, run_since, expired = false, reason, ids }) => {
      const runSince = minuteOf(Date.parse(run_since) * 1000) - clockAhead
      const proven = !proofless.has(reason) && !(id === LIST && reason === 'list_empty')
      const known = { since: minuteOf(Date.parse(since) * 1000), runSince, expired, proven }
      return ids.map((held) => [held, { ...known, braked: reason === 'run_total' }] as const)
    })
    if (groups.length !== heldCount)
      throw new Error(`the list of ${id} holds ${groups.length}, and counts ${heldCount}`)
    const checkedAt = checked === null ? null : minuteOf(Number(checked))
    unit(id).facts = {
      checkedAt,
      checkedBy: null,
      step,
      failing: failure !== null,
      refused: failure === 'key_refused',
      unanswered: failure === 'unreachable',
      asides,
      etag,
      backfill,
      body: null,
      sent: null,
      held: new Map(groups),
      unconfirmed: new Set(unconfirmed),
      readAt: read === null ? null : minuteOf(Number(read)),
    }
  }
  const runs = parsed<RunRow>('run').sort(([a], [b]) => a - b)
  return {
    at,
    mirror: units,
    versions,
    runs: runs.map(([id, mode, selective, status, started, backfill]) => ({
      id,
      mode,
      selective,
      status,
      backfill,
      startedAt: minuteOf(Number(started)),
    })),
    report: runs.at(-1)?.at(-1) ?? null,
    identity: parsed<Identity>('identity')[0] ?? { email: null, key: null },
    orphans: Number(of('orphans')[0]),
  }
}

/** Reasons that time never confirms, of whatever list. */
const proofless: ReadonlySet<string> = new Set(['paging', 'no_end_mark', 'unreadable_id', 'account_empty'])

type Groups = readonly {
  readonly since: string
  readonly run_since: string
  readonly expired?: boolean
  readonly reason: string
  readonly ids: readonly string[]
}[]
type StateRow = [
  ...[id: string, checked: string | null, step: number | null, failure: string | null, asides: number],
  ...[
    held: Groups | null,
    heldCount: number,
    etag: string | null,
    read: string | null,
    backfill: number | null,
    unconfirmed: readonly string[] | null,
  ],
]
type RunRow = [number, string, boolean, string, string, number | null, unknown]

/** A unit that is being filled. */
interface Opened extends Unit {
  record: EventRow | null
  facts: Facts | null
  readonly responses: Map<string, ResponseRow>
  readonly rejects: { index: number; sha256: string }[]
  readonly recordHistory: Ended[]
  readonly history: Map<string, Ended[]>
}

function open(units: Map<string, Opened>, id: string): Opened {
  const unit = { ...emptyUnit, responses: new Map(), rejects: [], recordHistory: [], history: new Map() }
  units.set(id, unit)
  return unit
}

/** Rows of any table in which the key stands. @param others runs whose rejects do not count */
export async function leaks(
  engine: Engine,
  tables: readonly string[],
  others: ReadonlySet<number>,
): Promise<readonly string[]> {
  const ofOthers = `run_id = any ('{${[...others].join()}}')`
  const one = (table: string) =>
    `select '${table}', t::text from headcount.${table} t where t::text like '%${canary}%'
     ${table === 'rejects' ? `and not ${ofOthers}` : ''}`
  const rows = await engine.ask(tables.map(one).join(' union all '))
  return rows.map(([table, text]) => `${table}: ${text}`)
}
