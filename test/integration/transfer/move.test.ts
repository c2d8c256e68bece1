/** A mirror that is moved to another database is the same there, and the next run goes on as it would have before. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { moveMirror, verify } from '../../../src/index.ts'
import { freshPlace, type engines } from '../../support/databases/databases.ts'
import { testKey } from '../../support/http/reading.ts'
import { fillMirror, rowsOf } from '../../support/transfer/filled-mirror.ts'

type Engine = (typeof engines)[number]

const directions: readonly (readonly [Engine, Engine])[] = [
  ['postgres', 'postgres'],
  ['postgres', 'pglite'],
  ['pglite', 'postgres'],
  ['pglite', 'pglite'],
]

const readRows = async (url: string) => {
  await using database = await connect(url)
  return await rowsOf(database)
}

describe.each(directions)('a move from %s to %s', { timeout: 120_000 }, (from, to) => {
  test('copies every row of every table, and the next run reads what it would have read before', async () => {
    await using filled = await fillMirror(from)
    await using target = await freshPlace(to, { blank: true })
    const report = await moveMirror({ database: filled.place.url, to: target.url })
    expect(report.accounts).toEqual(['default', 'second'])
    const copied = await readRows(target.url)
    expect(copied).toEqual(await readRows(filled.place.url))
    for (const { table, rows } of report.tables) expect(copied[table], table).toHaveLength(rows)
    expect(Object.entries(copied).filter(([, rows]) => rows.length === 0)).toEqual([])

    const there = await filled.sync(target.url)
    const here = await filled.sync(filled.place.url, { force: true })
    expect(there.requests).toEqual(here.requests)
    expect(there.report).toMatchObject({ status: here.report.status, run_id: here.report.run_id })
    const verified = await verify({
      database: target.url,
      apiKey: testKey,
      baseUrl: filled.service.baseUrl.href,
      account: 'default',
    })
    expect(verified).toMatchObject({ differences: [] })
  })
})
