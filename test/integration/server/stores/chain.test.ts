/** A mirror of a mirror of a mirror. */
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { sync } from '../../../../src/index.ts'
import type { RunOptions, RunReport } from '../../../../src/index.ts'
import { createSampleAccount } from '../../../../src/commands/demo/account/account.ts'
import { chanceOf } from '../../../simulation/account/chance.ts'
import type { Chance } from '../../../simulation/account/chance.ts'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { freshPlace, type Place } from '../../../support/databases/databases.ts'
import { send } from '../../../support/http/fault-server.ts'
import { freePort } from '../../../support/http/free-port.ts'
import { readLive } from '../../../support/mirror/live-rows.ts'
import { EVENTS, mirrorClient, responsesTo } from '../../../support/http/mirror-client.ts'
import { keyOf, serve, serveAccount } from '../../../support/http/serving.ts'
import { startStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

const sampleKey = 'k-2f9c1e0a7b5d'

describe('a chain', () => {
  test('of three mirrors has the same rows in all, follows a change, and reads no row for what is as it was', async () => {
    await using stack = new AsyncDisposableStack()
    const account = createSampleAccount({ seed: 3, now: new Date('2026-06-17T10:00:00Z') })
    const { url } = stack.use(await serveAccount(account, sampleKey))
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
  })
})

describe('a chain over random histories', () => {
  test('V1 V2 V3 with failures, runs that are broken off and changes by hand: every list is shown as it is, and all end equal', async () => {
    const chance = chanceOf(20261122)
    await using on = await startStage('postgres', accountOf({ gala: 3, picnic: 3, ball: 3, fair: 3 }))
    await on.run('sync')
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    const hops = [{ account: 'second', apiKey: await keyOf(on.target) }]
    const follow = async (options: Partial<RunOptions> = {}) => {
      for (const hop of hops)
        await on.run('sync', { ...hop, ...options, baseUrl: serving.url, createAccount: true })
    }
    await follow()
    hops.push({ account: 'third', apiKey: await keyOf(on.target, 'second') })
    await follow()

    for (let step = 0; step < STEPS; step++) {
      editOne(on.account, chance)
      await runBadly(on, chance)
      await follow()
      // A process that has just begun reads the rows: it must show what the client may keep.
      await using another = await serve(on.target)
      for (const path of [EVENTS, ...[...on.account.responses.keys()].map(responsesTo)])
        await client.readFrom(another, path)
    }

    for (let time = 0; time < 2; time++) {
      const all = { all: true, acceptDeletions: true }
      expect(await on.run('sync', all)).toMatchObject({ report: { errors_total: 0 } })
      await follow(all)
    }
    await using database = await connect(on.target)
    const rows = await readLive(database)
    expect(rows.length).toBeGreaterThan(10)
    expect(await readLive(database, 'second')).toEqual(rows)
    expect(await readLive(database, 'third')).toEqual(rows)
    expect(serving.errors).toEqual([])
  })
})

const STEPS = 8

function editOne(account: Account, chance: Chance): void {
  const event = chance.pick(account.events)
  const id = String(Object(event).id)
  const responses = account.of(id)
  const number = chance.int(100, 999_999)
  const edits = [
    () => Object.assign(Object(event), { title: `Title ${number}` }),
    () => responses.push(responseItem(number)),
    () => responses.splice(0, 1),
    () => Object.assign(Object(responses[0] ?? event), { name: `Name ${number}` }),
    () => account.add(`event-${number}`, 2),
    () => (account.events.length > 3 ? account.remove(id) : null),
  ]
  for (let count = chance.int(1, 3); count > 0; count--) chance.pick(edits)()
}

/** A run in which something goes wrong, or after a hand was in the tables. */
async function runBadly(on: Stage, chance: Chance): Promise<void> {
  const path = responsesTo(String(Object(chance.pick(on.account.events)).id))
  const broken = new AbortController()
  const ways = [
    async () => on.service.at(path, send(refusal(400))),
    async () =>
      on.service.at(path, async (socket, request) => {
        broken.abort()
        await send((asked) => on.account.answer(asked))(socket, request)
      }),
    async () => {
      await on.change(`update headcount.responses set name = 'by hand' where account_id = 1 and id % 2 = 0`)
      await on.run('backfill')
    },
  ]
  await chance.pick(ways)()
  await on.run('sync', { signal: broken.signal, batchRows: chance.pick([2, 5000]), concurrency: 2 })
}

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
  // The server counts what a connection read before it forgets the connection, which is after the client has closed it.
  const others = `select count(*)::int from pg_stat_activity
                   where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  const othersNow = async () => {
    const { rows } = await database.transaction((trx) => trx.query(others))
    return rows[0]?.[0]
  }
  await expect.poll(othersNow, { timeout: 60_000 }).toBe(0)
  const { rows } = await database.transaction((trx) =>
    trx.query(
      `select coalesce(sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)), 0)::int
         from pg_stat_user_tables
        where schemaname = 'headcount' and relname in ('responses', 'payments', 'slots')`,
    ),
  )
  return Number(rows[0]?.[0])
}
