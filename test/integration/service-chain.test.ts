/** A mirror of a mirror of a mirror. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../src/db/connect.ts'
import { sync } from '../../src/index.ts'
import type { RunReport } from '../../src/index.ts'
import { createSampleAccount } from '../../src/service/sample/account.ts'
import { createHttpService } from '../../src/service/service.ts'
import { createSingleStore } from '../../src/service/single-store.ts'
import { freshPlace, type Place } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { readLive } from '../support/live-rows.ts'
import { keyOf, serve } from '../support/serving.ts'

const sampleKey = 'k-2f9c1e0a7b5d'

describe('a chain', () => {
  test('of three mirrors has the same rows in all, follows a change, and reads no row for what is as it was', async () => {
    await using stack = new AsyncDisposableStack()
    const account = createSampleAccount({ seed: 3, now: new Date('2026-06-17T10:00:00Z') })
    const sample = createHttpService({ store: createSingleStore({ apiKey: sampleKey, account }) })
    stack.defer(() => sample.close())
    const { url } = await sample.listen({ host: '127.0.0.1', port: 0 })
    const [first, second, third] = [
      stack.use(await freshPlace('postgres')),
      stack.use(await freshPlace('postgres')),
      stack.use(await freshPlace('postgres')),
    ]

    const hops = [
      { from: first, to: second, port: await freePort() },
      { from: second, to: third, port: await freePort() },
    ]

    /** Lets each mirror read the one before it, and tells how many rows the first one's database read for the second. */
    const follow = async (check: (report: RunReport) => void) => {
      check(await run(first, url, sampleKey))
      const read: number[] = []
      for (const { from, to, port } of hops) {
        const before = await rowsRead(from)
        {
          // A connection that ends tells the server's statistics what it read.
          await using serving = await serve(from.url, {}, port)
          check(await run(to, serving.url, await keyOf(from.url)))
        }
        read.push((await rowsRead(from)) - before)
      }
      return read
    }
    const expectEqual = async () => {
      const rows = await liveOf(first)
      expect(rows.length).toBeGreaterThan(5000)
      expect(await liveOf(second)).toEqual(rows)
      expect(await liveOf(third)).toEqual(rows)
    }

    const read = await follow(({ rows }) => expect(rows.events.inserted).toBeGreaterThan(50))
    expect(Math.min(...read)).toBeGreaterThan(5000)
    await expectEqual()
    account.advance()
    await follow(({ events, not_modified }) => {
      expect(events.changed).toBeLessThan(20)
      expect(not_modified).toBeGreaterThan(40)
    })
    await expectEqual()
    const readAgain = await follow(({ events, not_modified }) => {
      expect(events.changed).toBe(0)
      expect(not_modified).toBe(events.due)
    })
    expect(readAgain).toEqual([0, 0])
  }, 60_000)
})

async function run({ url }: Place, baseUrl: string, apiKey: string): Promise<RunReport> {
  const report = await sync({ database: url, baseUrl, apiKey, all: true })
  expect(report.status).toBe('succeeded')
  return report
}

async function liveOf({ url }: Place): Promise<readonly string[]> {
  await using database = await connect(url)
  return await readLive(database)
}

/** Rows of responses and of what belongs to them that were read in this database so far. */
async function rowsRead({ url }: Place): Promise<number> {
  await using database = await connect(url)
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int
         from pg_stat_user_tables
        where schemaname = 'headcount' and relname in ('responses', 'payments', 'slots')`,
    ),
  )
  return Number(rows[0]?.[0])
}
