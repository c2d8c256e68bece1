/** The diff of a list that is too large for memory: rows are compared chunk by chunk, ids at the end. */
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { IntegerText } from '../../common/schema/items.ts'
import type { Transaction } from '../../db/transaction.ts'
import { diffLists, type ListChanges, type ListDiff } from './list-diff.ts'
import { ResponseBatch } from '../../copy-format/response-batch.ts'
import { ResponseRows } from '../../copy-format/response-rows.ts'
import { prefetch } from '../prefetch.ts'
import { splitIds } from '../split-ids.ts'
import { singleRow, chunkRows } from '../statements.ts'

const IDS_PER_CHUNK = 20_000

/** The difference between a large list and the rows that were live before it was written. */
export class StreamedListDiff {
  readonly event_id: string
  readonly live: number
  /** The ids of the live responses in one text: as separate strings they take ten times the memory. */
  readonly #ids: string
  readonly #fields = new Set<string>()

  constructor(event_id: string, live: number, ids: string) {
    this.event_id = event_id
    this.live = live
    this.#ids = ids
  }

  /** Compares some rows of the list with the live ones. */
  async compare(trx: Transaction, list: ResponseBatch): Promise<ListChanges> {
    const ids = this.live === 0 ? [] : list.ids()
    return this.#compare(trx, list, ids)
  }

  /** The result, after all rows were compared. @param list the whole list, read to its end */
  async finish(
    trx: Transaction,
    account: number,
    list: { has(id: IntegerText): boolean },
  ): Promise<Pick<ListDiff, 'live' | 'fields' | 'absent'>> {
    const absent: IntegerText[] = []
    for await (const some of prefetch(trx, absentFrom(list, this.#ids))) absent.push(...some)
    const nothing = new ResponseBatch(new ResponseRows({ account, event_id: this.event_id, run: '0' }))
    for (const ids of chunkRows(absent)) await this.#compare(trx, nothing, ids)
    return { live: this.live, fields: [...this.#fields], absent }
  }

  async #compare(trx: Transaction, list: ResponseBatch, ids: readonly IntegerText[]): Promise<ListChanges> {
    const change = (await diffLists(trx, [list], { ids })).get(this.event_id)
    for (const field of change?.fields ?? []) this.#fields.add(field)
    return change ?? { list, added: [], differing: [] }
  }
}

/** The ids that the list lacks, in chunks: for millions of ids it takes seconds, and other work must go on. */
async function* absentFrom(
  list: { has(id: IntegerText): boolean },
  ids: string,
): AsyncGenerator<readonly IntegerText[], void> {
  const rest = splitIds(ids)
  for (;;) {
    const some = rest.take(IDS_PER_CHUNK).toArray()
    if (some.length === 0) return
    yield some.filter((id) => !list.has(id))
    await setImmediate()
  }
}

/** Starts the diff of a large list, before any of its rows is written. */
export async function startStreamedListDiff(
  trx: Transaction,
  account: number,
  event_id: string,
): Promise<StreamedListDiff> {
  const { rows } = await sql<{ live: number; ids: string }>`
    select count(*)::int as live, coalesce(string_agg(id::text, ' ' order by id), '') as ids
      from headcount.responses
     where account_id = ${account} and event_id = ${event_id}`.execute(trx.kysely)
  const { live, ids } = singleRow(rows)
  return new StreamedListDiff(event_id, live, ids)
}
