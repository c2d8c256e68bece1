/** What a list would change that is too large for memory: its rows are compared piece by piece, its ids at the end. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { IntegerText, ResponseItem } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { compareLists } from './list-diff.ts'
import type { ListChange } from './list-diff.ts'
import { oneAhead } from '../prefetch.ts'
import { words } from '../split-ids.ts'
import { onlyRow, pieces } from '../statements.ts'

const IDS_AT_ONCE = 20_000

/** A large list beside what was live of it before its rows came. */
export class LargeListChange {
  readonly event_id: string
  readonly live: number
  /** The ids of the live responses, in one text: as texts of their own they would take ten times as much. */
  readonly #ids: string
  readonly #fields = new Set<string>()

  constructor(event_id: string, live: number, ids: string) {
    this.event_id = event_id
    this.live = live
    this.#ids = ids
  }

  /** Compares some rows of the list with the live ones. @param rows by id, ascending */
  async compare(
    trx: Transaction,
    account: number,
    rows: readonly ResponseItem[],
  ): Promise<Pick<ListChange, 'added' | 'differing'>> {
    if (this.live === 0) return { added: rows, differing: [] }
    const ids = rows.map(({ id }) => id)
    return this.#compare(trx, account, rows, ids)
  }

  /** What it comes to when all its rows were compared. @param list the list itself, read through */
  async end(
    trx: Transaction,
    account: number,
    list: { has(id: IntegerText): boolean },
  ): Promise<Pick<ListChange, 'live' | 'fields' | 'absent'>> {
    const absent: IntegerText[] = []
    for await (const some of oneAhead(trx, absentFrom(list, this.#ids))) absent.push(...some)
    for (const ids of pieces(absent)) await this.#compare(trx, account, [], ids)
    return { live: this.live, fields: [...this.#fields], absent }
  }

  async #compare(
    trx: Transaction,
    account: number,
    rows: readonly ResponseItem[],
    ids: readonly IntegerText[],
  ): Promise<Pick<ListChange, 'added' | 'differing'>> {
    const { event_id } = this
    const change = (await compareLists(trx, account, [{ event_id, rows }], ids)).get(event_id)
    for (const field of change?.fields ?? []) this.#fields.add(field)
    return { added: change?.added ?? [], differing: change?.differing ?? [] }
  }
}

/** Which of these ids the list does not have, some at a time: of millions it takes seconds to say. */
async function* absentFrom(
  list: { has(id: IntegerText): boolean },
  ids: string,
): AsyncGenerator<readonly IntegerText[], void> {
  const rest = words(ids)
  for (;;) {
    const some = rest.take(IDS_AT_ONCE).toArray()
    if (some.length === 0) return
    yield some.filter((id) => !list.has(id))
    await setImmediate()
  }
}

/** Begins the comparison of a large list, before any of its rows is written. */
export async function beginLargeListChange(
  trx: Transaction,
  account: number,
  event_id: string,
): Promise<LargeListChange> {
  const { rows } = await sql<{ live: number; ids: string }>`
    select count(*)::int as live, coalesce(string_agg(id::text, ' ' order by id), '') as ids
      from headcount.responses
     where account_id = ${account} and event_id = ${event_id}`.execute(trx.kysely)
  const { live, ids } = onlyRow(rows)
  return new LargeListChange(event_id, live, ids)
}
