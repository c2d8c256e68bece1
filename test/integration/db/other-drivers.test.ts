/** Pools of a program whose connections are not those of the copy of pg beside headcount: of another version, or changed by an instrumentation. */
import { Client, Query } from 'pg'
import { expect, test } from 'vitest'
import { status, sync, UsageError, verify } from '../../../src/index.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { openPool } from '../../support/databases/pools.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'

type Send = (...args: readonly unknown[]) => unknown

const sendAsPg: Send = (client, ...args) =>
  Reflect.apply(Reflect.get(Client.prototype, 'query') as Send, client, args)

/** Its statements ask less of a connection than those of 8.23, and prepare none without values: as in pg 8.11. */
class FormerQuery extends Query {
  requiresPreparation(): boolean {
    const values: unknown = Reflect.get(this, 'values')
    return Array.isArray(values) && values.length > 0
  }
}

/** Each copy of pg has a class of statements of its own, and a statement of 8.23 fails in a connection of any version before. */
class FormerClient extends Client {
  static readonly Query: typeof Query = FormerQuery

  constructor(...args: ConstructorParameters<typeof Client>) {
    super(...args)
    this.query = (...sent: readonly unknown[]): never => {
      if (sent[0] instanceof Query && !(sent[0] instanceof FormerQuery))
        throw new TypeError(`Cannot read properties of undefined (reading 'undefined')`)
      return sendAsPg(this, ...sent) as never
    }
  }
}

/** What it does where it shall add comments to statements, but to prepared ones: it sends a copy, which has no methods. */
class CommentingClient extends Client {
  constructor(...args: ConstructorParameters<typeof Client>) {
    super(...args)
    this.query = (query: unknown, ...sent: readonly unknown[]): never => {
      const isOther = typeof query !== 'object' || query === null || !('text' in query)
      const isNamed = !isOther && 'name' in query && query.name !== undefined
      const copied =
        isOther || isNamed ? query : { ...query, text: `${String(query.text)} /*traceparent='00'*/` }
      return sendAsPg(this, copied, ...sent) as never
    }
  }
}

test.each([
  ['of another version of pg', FormerClient],
  ['that an instrumentation adds comments to', CommentingClient],
])('a run over a given pool %s', async (_, Kind) => {
  await using place = await freshPlace('postgres', { blank: true })
  await using service = await startFaultServer()
  service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
  const pool = openPool(place.url, { Client: Kind })
  try {
    const run = { pool, baseUrl: service.baseUrl.href, apiKey: testKey }
    expect(await sync(run)).toMatchObject({ status: 'succeeded', rows: { responses: { inserted: 3 } } })
    expect(await verify(run)).toMatchObject({ status: 'equal' })
    expect(await status({ pool })).toHaveLength(1)
    expect(pool.idleCount).toBe(pool.totalCount)
  } finally {
    await pool.end()
  }
})

test('a statement that a connection cannot send ends the call at once: it waited five minutes for the answer to its rollback', async () => {
  await using place = await freshPlace('postgres')
  /** Its first statement stays under way. */
  class Broken extends Client {
    #isStuck = false

    override readonly query = (): never => {
      if (this.#isStuck) return undefined as never
      this.#isStuck = true
      throw new TypeError('This client is broken.')
    }
  }
  const pool = openPool(place.url, { Client: Broken })
  const error = await status({ pool }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'database',
    message: expect.stringContaining('client is broken') as string,
  })
  await pool.end()
})

test('a pool of pg-native is refused', async () => {
  await using place = await freshPlace('postgres')
  class Native extends Client {
    readonly native = {}
  }
  const pool = openPool(place.url, { Client: Native })
  const error = await status({ pool }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(String(error)).toContain('Make it with the class Pool of pg')
  await pool.end()
})
