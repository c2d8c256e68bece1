/** What a list would change that is too large for memory: its ids are looked at first, its rows piece by piece. */
import { sql } from 'kysely'
import type { Digits, ResponseItem } from '../db/tables.ts'
import type { Transaction } from '../db/transaction.ts'
import { compareLists } from './list-changes.ts'
import type { ListChange } from './list-changes.ts'
import { words } from './words.ts'
import { onlyRow, pieces } from './writing.ts'

/** A large list beside what is live of it. `fields` is whole when all its pieces were compared. */
export class LargeListChange implements Pick<ListChange, 'live' | 'fields' | 'absent'> {
  readonly event_id: string
  readonly live: number
  readonly absent: readonly Digits[]
  readonly #fields = new Set<string>()

  constructor(event_id: string, live: number, absent: readonly Digits[]) {
    this.event_id = event_id
    this.live = live
    this.absent = absent
  }

  get fields(): readonly string[] {
    return [...this.#fields]
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

  /** Looks at the fields of the rows that the list no longer has. */
  async compareAbsent(trx: Transaction, account: number): Promise<void> {
    for (const ids of pieces(this.absent)) await this.#compare(trx, account, [], ids)
  }

  async #compare(
    trx: Transaction,
    account: number,
    rows: readonly ResponseItem[],
    ids: readonly Digits[],
  ): Promise<Pick<ListChange, 'added' | 'differing'>> {
    const { event_id } = this
    const change = (await compareLists(trx, account, [{ event_id, rows }], ids)).get(event_id)
    for (const field of change?.fields ?? []) this.#fields.add(field)
    return { added: change?.added ?? [], differing: change?.differing ?? [] }
  }
}

/**
 * Finds the live responses that a large list no longer has. Their ids come in one text, about 8 bytes a row: a million
 * ids as a parameter, or in as many rows, would take tenfold.
 */
export async function compareIds(
  trx: Transaction,
  account: number,
  event_id: string,
  list: { has(id: Digits): boolean },
): Promise<LargeListChange> {
  const { rows } = await sql<{ live: number; ids: string }>`
    select count(*)::int as live, coalesce(string_agg(id::text, ' ' order by id), '') as ids
      from headcount.responses
     where account_id = ${account} and event_id = ${event_id}`.execute(trx.kysely)
  const { live, ids } = onlyRow(rows)
  const absent = words(ids)
    .filter((id) => !list.has(id))
    .toArray()
  return new LargeListChange(event_id, live, absent)
}
