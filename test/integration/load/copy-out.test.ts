/** The result of a query as COPY writes it, read part by part. */
import { expect, test } from 'vitest'
import { DatabaseError } from '../../../src/common/errors.ts'
import { onBoth } from '../../support/databases/databases.ts'

onBoth('COPY in parts', (fresh) => {
  type Database = Awaited<ReturnType<typeof fresh>>['database']
  const readFrom = (database: Database) => (query: string, form: string, receive: (part: Buffer) => void) =>
    database.transaction(
      (trx) =>
        trx.copyOutParts(query, form, async (part) => {
          receive(part)
        }),
      { readOnly: true },
    )

  test('is the whole result, and tells how many rows it had', async () => {
    await using mirror = await fresh()
    const read = readFrom(mirror.database)
    const parts: Buffer[] = []
    const query = `select n, repeat('x', 100) as text from generate_series(1, 20000) n`
    expect(await read(query, 'format csv, header', (part) => parts.push(part))).toBe(20_000)
    const lines = Buffer.concat(parts).toString().split('\n')
    expect([lines[0], lines[20_000], lines.length]).toEqual(['n,text', `20000,${'x'.repeat(100)}`, 20_002])
  })

  test('of no rows is empty', async () => {
    await using mirror = await fresh()
    const read = readFrom(mirror.database)
    let bytes = 0
    expect(await read('select 1 as n where false', 'format csv', ({ length }) => (bytes += length))).toBe(0)
    expect(bytes).toBe(0)
  })

  test('ends when its receiver fails, and the database goes on', async () => {
    await using mirror = await fresh()
    const read = readFrom(mirror.database)
    const query = `select repeat('x', 1000) from generate_series(1, 100000)`
    await expect(
      read(query, 'format csv', () => {
        throw new RangeError('enough')
      }),
    ).rejects.toThrow(new RangeError('enough'))
    expect(await read('select 1 as n', 'format csv', () => undefined)).toBe(1)
  })

  test('throws what the database says in its midst', async () => {
    await using mirror = await fresh()
    const read = readFrom(mirror.database)
    const query = 'select 1 / (5000 - n) from generate_series(1, 10000) n'
    await expect(read(query, 'format csv', () => undefined)).rejects.toThrow(DatabaseError)
    expect(await read('select 1 as n', 'format csv', () => undefined)).toBe(1)
  })
})
