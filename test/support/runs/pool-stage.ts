/** Many accounts at one service or several, and one mirror for all of them. */
import { expect } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import type { Engine } from '../../../src/db/transaction.ts'
import { accountOf, refusal, type Account } from '../accounts/account.ts'
import { freshPlace, noteEngine } from '../databases/databases.ts'
import { lendPglite } from '../databases/lending.ts'
import { send, startFaultServer, type FaultServer, type SeenRequest } from '../http/fault-server.ts'
import { optionOf, type Target } from './stage.ts'

/** A service with accounts of its own, each with its own key. */
export interface PooledService extends AsyncDisposable {
  readonly server: FaultServer
  readonly accounts: ReadonlyMap<string, Account>
  /** The accounts that were asked for, in the order of the requests. */
  readonly asked: () => readonly string[]
  /** What a run of an account needs to know of it. */
  readonly of: (account: string) => {
    readonly account: string
    readonly createAccount: true
    readonly apiKey: string
    readonly baseUrl: string
    readonly requestTimeoutMs: number
  }
}

export interface PoolStage extends AsyncDisposable {
  readonly target: Target
  /** The database in the form of the options of a pool. */
  readonly database: ReturnType<typeof optionOf>
  /** Events by account, each with so many responses. */
  readonly service: (
    accounts: Readonly<Record<string, Readonly<Record<string, number>>>>,
  ) => Promise<PooledService>
  /** The mirror has all responses of these accounts, and nothing of others under their names. */
  readonly expectMirrored: (service: PooledService, names?: readonly string[]) => Promise<void>
  readonly query: (text: string) => Promise<readonly (readonly unknown[])[]>
}

export function keyOf(account: string): string {
  return `key-of-${account}`
}

export function accountIn({ headers }: Pick<SeenRequest, 'headers'>): string {
  return (headers['x-api-key'] ?? '').replace('key-of-', '')
}

export async function startPoolStage(engine: Engine): Promise<PoolStage> {
  await using opened = new AsyncDisposableStack()
  const target = await freshTarget(engine, opened)
  const query = async (text: string) => {
    await using database = await connect(target)
    return await database.transaction(async (trx) => (await trx.query(text)).rows, { readOnly: true })
  }
  const services = new AsyncDisposableStack()
  opened.use(services)
  const resources = opened.move()
  return {
    target,
    database: optionOf(target),
    service: async (events) => services.use(await startPooledService(events)),
    query,
    expectMirrored: async ({ accounts }, names = [...accounts.keys()]) => {
      const rows = await query(
        `select a.name, r.event_id, count(*)::int
           from headcount.responses r join headcount.accounts a on a.id = r.account_id group by 1, 2`,
      )
      const found = rows.map((row) => row.join(' '))
      const expected = names.flatMap((name) =>
        [...(accounts.get(name)?.responses ?? [])].map(([event, list]) => `${name} ${event} ${list.length}`),
      )
      expect(found.filter((row) => names.includes(row.split(' ')[0] ?? '')).toSorted()).toEqual(
        expected.toSorted(),
      )
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

export async function startPooledService(
  events: Readonly<Record<string, Readonly<Record<string, number>>>>,
): Promise<PooledService> {
  const server = await startFaultServer()
  const accounts = new Map<string, Account>()
  for (const [name, lists] of Object.entries(events)) {
    const account = accountOf(lists)
    account.keys = [keyOf(name)]
    account.email = `${name}@example.org`
    accounts.set(name, account)
  }
  server.always(send((request) => accounts.get(accountIn(request))?.answer(request) ?? refusal(401)(request)))
  return {
    server,
    accounts,
    asked: () => server.requests.map(accountIn),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    of: (account) => ({
      account,
      createAccount: true,
      apiKey: keyOf(account),
      baseUrl: server.baseUrl.href,
      requestTimeoutMs: 5000,
    }),
  }
}

async function freshTarget(engine: Engine, opened: AsyncDisposableStack): Promise<Target> {
  if (engine === 'postgres') return opened.use(await freshPlace(engine)).url
  noteEngine(engine)
  const { pglite } = opened.use(await lendPglite())
  return { pglite }
}

/** So many small accounts by name, each with two events of its own. */
export function smallAccounts(count: number, prefix = 'small'): Record<string, Record<string, number>> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `${prefix}${n}`,
      { [`${prefix}${n}-a`]: 2, [`${prefix}${n}-b`]: 1 },
    ]),
  )
}
