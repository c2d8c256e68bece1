import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseItem } from '../../../src/common/schema/tables.ts'
import type { Transaction } from '../../../src/db/transaction.ts'
import { readAmount } from '../../../src/normalise/values/decimals.ts'
import { isTimestamp } from '../../../src/normalise/values/timestamps.ts'
import { onBoth } from '../../support/databases/databases.ts'
import { objectText, responseEntries } from '../../support/accounts/item-texts.ts'
import { responsesIn } from '../../support/accounts/normalising.ts'

const digits = (count: number): string => '9'.repeat(count)

onBoth('the bounds of normalise are those of the database', (fresh) => {
  test('P3 P4 P9 P14 P15 every row that normalise makes can be stored', async () => {
    const samples = fc.sample(responseEntries, { numRuns: 3000, seed: 3 })
    const rows = samples.flatMap((entries) => responsesIn(`[${objectText(entries)}]`).rows)
    expect(rows.length).toBeGreaterThan(1000)
    await using mirror = await fresh()
    const stored = await mirror.database.transaction((trx) => readBack(trx, rows))
    expect(stored).toEqual([rows.length, rows.flatMap(({ slots }) => slots).length])
  })

  test.each([
    ['1e131071', true],
    ['1e131072', false],
    ['1e-16383', true],
    ['1e-16384', false],
    ['0.001e131074', true],
    ['0.001e131075', false],
    ['0e200000', true],
    ['0e-16384', false],
    [digits(131_072), true],
    [digits(131_073), false],
    [`${digits(131_072)}.${digits(16_383)}`, true],
    [`0.${digits(16_384)}`, false],
    [`0.${'0'.repeat(20_000)}1e20000`, true],
  ])('P14 a number (%#): taken by one exactly when taken by the other', async (source, taken) => {
    expect(readAmount(JSON.rawJSON(source)) !== null).toBe(taken)
    await using mirror = await fresh()
    for (const type of ['numeric', 'jsonb']) {
      const reading = mirror.database.transaction((trx) =>
        trx.query(`select $1::text::${type} is null`, [source]),
      )
      await expect(
        reading.then(
          () => true,
          () => false,
        ),
      ).resolves.toBe(taken)
    }
  })

  test.each([
    ['2024-03-01T10:00:00+15:59', true],
    ['2024-03-01T10:00:00-15:59', true],
    ['2024-03-01T10:00:00+16:00', false],
    ['2024-03-01T10:00:00-16:00', false],
    ['2024-03-01T10:00:00+01:60', false],
    ['2023-02-29T10:00:00Z', false],
    ['0000-03-01T10:00:00Z', false],
  ])('P15 the time stamp %s: taken by one exactly when taken by the other', async (text, taken) => {
    expect(isTimestamp(text)).toBe(taken)
    await using mirror = await fresh()
    const reading = mirror.database.transaction((trx) => trx.query('select $1::text::timestamptz', [text]))
    await expect(
      reading.then(
        () => true,
        () => false,
      ),
    ).resolves.toBe(taken)
  })
})

/** How many responses and slots the database makes of these rows, each value cast to the type of its column. */
async function readBack(trx: Transaction, rows: readonly ResponseItem[]): Promise<unknown[]> {
  const responses = rows.map(({ payment, slots: _, ...columns }) => ({ ...columns, ...payment }))
  const slots = rows.flatMap((row) => row.slots)
  const counts = await trx.query(
    `select (select count(*)::int from json_to_recordset($1::text::json) as item(
               id bigint, kind text, name text, email text, message text, quantity bigint, rsvp text,
               created_at timestamptz, updated_at timestamptz, amount numeric, processing_fee numeric, _extra jsonb)),
            (select count(*)::int from json_to_recordset($2::text::json) as item(
               name text, start_date timestamptz, end_date timestamptz, start_local timestamp, end_local timestamp, _extra jsonb))`,
    [JSON.stringify(responses), JSON.stringify(slots)],
  )
  return [...(counts.rows[0] ?? [])]
}
