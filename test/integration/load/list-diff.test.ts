/** Lists compared with the live rows byte for byte: nothing that differs is missed, and nothing equal is written. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseItem, SlotItem } from '../../../src/common/schema/tables.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { changedResponses } from '../../../src/load/diff/changed-responses.ts'
import { copyResponses } from '../../../src/load/write/copy-responses.ts'
import { ResponseBatch } from '../../../src/copy-format/response-batch.ts'
import { ResponseRows } from '../../../src/copy-format/response-rows.ts'
import { diffLists } from '../../../src/load/diff/list-diff.ts'
import { onBoth } from '../../support/databases/databases.ts'

/** Ids that the database sorts by their bytes, some by others than their characters would. */
const event_id = fc.constantFrom('a', 'a b', 'ab', 'Z', 'é', '\u{ff5e}', '😀', 'a"\\b')
const id = fc.constantFrom('-9223372036854775808', '-1', '0', '7', '4294967296', '9223372036854775807')
const text = fc.option(fc.constantFrom('', 'signup', 'Ann', 'ann', '😀\n'))
const instant = fc.option(
  fc.constantFrom('2024-05-01T10:00:00Z', '2024-05-01T12:00:00+02:00', '0001-01-01T00:00:00Z'),
)
const amount = fc.option(fc.constantFrom('12.5', '12.50', '0', '-0.00', '1e3', '1000', '123456789.00001'))
const extra = fc.option(
  fc.constantFrom<NonNullable<ResponseItem['_extra']>[]>(
    { b: 1, aa: [true, null, 'x"'], a: { c: 'd', bb: 2 } },
    { a: { bb: 2, c: 'd' }, b: 1, aa: [true, null, 'x"'] },
    { n: 100 },
    { n: JSON.rawJSON('1e2') },
    { n: JSON.rawJSON('100.0') },
    {},
  ),
)

const slot: fc.Arbitrary<SlotItem> = fc
  .record({ name: text, start_date: instant, end_date: instant, _extra: extra })
  .map((sent) => ({
    ...sent,
    start_local: sent.start_date?.slice(0, 19) ?? null,
    end_local: sent.end_date?.slice(0, 19) ?? null,
  }))

const response: fc.Arbitrary<ResponseItem> = fc.record({
  id,
  kind: fc.constantFrom('reply', 'payment', 'signup', 'mixed', 'bare'),
  name: text,
  email: text,
  message: text,
  quantity: fc.option(id),
  rsvp: text,
  created_at: instant,
  updated_at: instant,
  _extra: extra,
  payment: fc.option(fc.record({ amount, processing_fee: amount })),
  slots: fc.array(slot, { maxLength: 2 }),
})

type Account = readonly { readonly event_id: string; readonly rows: readonly ResponseItem[] }[]

const list = fc
  .uniqueArray(response, { maxLength: 4, selector: (item) => item.id })
  .map((rows) => rows.toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1)))
const account: fc.Arbitrary<Account> = fc.uniqueArray(fc.record({ event_id, rows: list }), {
  maxLength: 4,
  selector: (sent) => sent.event_id,
})

/** A list as rows. */
function batchOf({ event_id, rows }: Account[number]): ResponseBatch {
  const encoded = new ResponseRows({ account: 1, event_id, run: '1' })
  for (const row of rows) encoded.add(row)
  return new ResponseBatch(encoded)
}

/** Writes whole lists. */
async function write(trx: Transaction, lists: Account): Promise<void> {
  const added = lists.map(batchOf).map((list) => ({ list, added: [...list.ids().keys()], differing: [] }))
  await copyResponses(trx, added)
}

const placed = (lists: Account) =>
  lists.flatMap(({ event_id, rows }) => rows.map((response) => ({ event_id, response })))

/** What the slow way says: every response compared by value, in the database. */
async function slowly(trx: Transaction, before: Account, now: Account) {
  const { added, changed } = await changedResponses(trx, 1, placed(now))
  const kept = new Set(placed(now).map((item) => `${item.event_id} ${item.response.id}`))
  const isGone = (item: { event_id: string; response: ResponseItem }) =>
    now.some((list) => list.event_id === item.event_id) && !kept.has(`${item.event_id} ${item.response.id}`)
  return { added, changed, absent: placed(before).filter(isGone) }
}

onBoth('lists beside the live rows', (fresh) => {
  test('are told apart as a comparison by value does it', async () => {
    await using mirror = await fresh()
    await mirror.database.transaction(async (trx) => {
      await trx.query(`insert into headcount.accounts (id, name) overriding system value values (1, 'one')`)
      await trx.query(
        `insert into headcount.sync_runs (id, account_id, mode, status) overriding system value values (1, 1, 'sync', 'failed')`,
      )
    })
    await fc.assert(
      fc.asyncProperty(account, account, fc.boolean(), async (one, other, isSame) => {
        const now = isSame ? one : other
        await mirror.database.transaction(async (trx) => {
          await write(trx, one)
          const changes = await diffLists(trx, now.map(batchOf))
          const slow = await slowly(trx, one, now)
          const told = (kind: 'added' | 'differing' | 'absent') =>
            [...changes].flatMap(([event_id, change]) =>
              change[kind].map(
                (item) => `${event_id} ${typeof item === 'string' ? item : change.list.ids()[item]}`,
              ),
            )
          const keys = (items: readonly { event_id: string; response: ResponseItem }[]) =>
            items.map((item) => `${item.event_id} ${item.response.id}`)
          expect(told('added').toSorted()).toEqual(keys(slow.added).toSorted())
          expect(told('absent').toSorted()).toEqual(keys(slow.absent).toSorted())
          expect(told('differing')).toEqual(expect.arrayContaining(keys(slow.changed)))
          // Postgres gives this number back in other words.
          if (isSame && !JSON.stringify(one).includes('1e2')) expect(told('differing')).toEqual([])
          await trx.query('delete from headcount.slots')
          await trx.query('delete from headcount.payments')
          await trx.query('delete from headcount.responses')
        })
      }),
      { numRuns: 60 },
    )
  })

  const shift: SlotItem = {
    name: 'Early',
    start_date: '2024-05-01T10:00:00Z',
    end_date: null,
    start_local: '2024-05-01T10:00:00',
    end_local: null,
    _extra: null,
  }
  const ann: ResponseItem = {
    id: '7',
    kind: 'mixed',
    name: 'Ann',
    email: null,
    message: null,
    quantity: null,
    rsvp: null,
    created_at: null,
    updated_at: null,
    _extra: null,
    payment: { amount: '12.5', processing_fee: null },
    slots: [shift, shift],
  }
  const changes: Readonly<Record<string, Partial<ResponseItem>>> = {
    'a field': { name: 'Bea' },
    'an amount': { payment: { amount: '12.50', processing_fee: null } },
    'no payment': { payment: null },
    'a slot': { slots: [shift, { ...shift, name: 'Late' }] },
    'a slot less': { slots: [shift] },
    'a slot more': { slots: [shift, shift, shift] },
  }

  test('a response differs by any of its parts alone, whichever side has it', async () => {
    await using mirror = await fresh()
    const neighbours = ['3', '9'].map((id) => ({ ...ann, id }))
    const listOf = (response: ResponseItem): Account => [
      { event_id: 'a', rows: [neighbours[0] ?? ann, response, neighbours[1] ?? ann] },
    ]
    const told: string[] = []
    for (const [name, change] of Object.entries(changes)) {
      for (const [before, now] of [
        [ann, { ...ann, ...change }],
        [{ ...ann, ...change }, ann],
      ] as const) {
        await mirror.database.transaction(async (trx) => {
          await write(trx, listOf(before))
          const found = (await diffLists(trx, listOf(now).map(batchOf))).get('a')
          told.push(`${name}: ${found?.differing.map((place) => found.list.ids()[place]).join()}`)
          for (const table of ['slots', 'payments', 'responses'])
            await trx.query(`delete from headcount.${table}`)
        })
      }
    }
    expect(told).toEqual(Object.keys(changes).flatMap((name) => [`${name}: 7`, `${name}: 7`]))
  })
})
