/** What an account's traffic and its live rows show of each open point of the specification. */
import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { ORDINARY_STATUSES } from '../../sync/drift/save-observations.ts'
import { readLive } from './from-rows.ts'
import type { LiveFact } from './from-rows.ts'
import { points } from './open-questions.ts'
import type { Finding, Point } from './open-questions.ts'

export interface AccountObservations {
  readonly account: string
  /** When the first observation was made; null when there is none yet. */
  readonly observed_since: Timestamp | null
  readonly points: readonly (Omit<Point, 'has'> & { readonly findings: readonly Finding[] })[]
}

/** @param name only this account; null for all. */
export async function readAccountObservations(
  trx: Transaction,
  name: string | null,
): Promise<readonly AccountObservations[]> {
  const accounts = await trx.kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name'])
    .$if(name !== null, (query) => query.where('name', '=', name ?? ''))
    .orderBy('id')
    .execute()
  const all: AccountObservations[] = []
  for (const { id, name } of accounts) {
    const observed = await readObservations(trx, id)
    const findings = merge(observed, await readLive(trx, id))
    all.push({
      account: name,
      observed_since: observed.map(({ first_seen_at }) => first_seen_at).toSorted()[0] ?? null,
      points: points.map(({ has, ...point }) => ({ ...point, findings: findings.filter(has) })),
    })
  }
  return all
}

type Observed = Finding & { readonly first_seen_at: Timestamp }

async function readObservations({ kysely }: Transaction, account: number): Promise<readonly Observed[]> {
  const { rows } = await sql<Observed>`
    select path as subject, kind as fact, value, null as now, count::float8 as seen, first_seen_at, last_seen_at
      from headcount.api_observations
     where account_id = ${account}
     order by path, kind, count desc, value`.execute(kysely)
  return rows
}

/** One finding for each fact. Of a fact that the tables can tell and do not, no live row is left: `now` is 0. */
function merge(observed: readonly Observed[], live: readonly LiveFact[]): readonly Finding[] {
  const found = new Map<string, Finding>()
  const countable = new Set(['value', 'unknown_field'])
  for (const finding of observed) {
    const now = countable.has(finding.fact) ? 0 : null
    const uncounted = isOrdinary(finding) ? { seen: null, last_seen_at: null } : {}
    found.set(keyOf(finding), { ...finding, ...uncounted, now })
  }
  for (const fact of live) {
    const known = found.get(keyOf(fact)) ?? { now: 0, seen: null, first_seen_at: null, last_seen_at: null }
    found.set(keyOf(fact), { ...known, ...fact, now: (known.now ?? 0) + fact.now })
  }
  return [...found.values()]
}

/** Answers that every run gets are noted the first time only. */
function isOrdinary({ fact, value }: Finding): boolean {
  return fact === 'status' && ORDINARY_STATUSES.has(value)
}

function keyOf({ subject, fact, value }: Pick<Finding, 'subject' | 'fact' | 'value'>): string {
  return JSON.stringify([subject, fact, value])
}
