/** Accounts of one service, a Postgres, and workers of a queue as processes of their own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect, type Database } from '../../../src/db/connect.ts'
import { accountOf, responseItem, type Account } from '../../support/accounts/account.ts'
import { startPostgres } from '../../support/databases/postgres.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import type { Chance } from '../account/chance.ts'

export interface QueueScene extends AsyncDisposable {
  readonly accounts: ReadonlyMap<string, Account>
  readonly baseUrl: string
  readonly url: string
  readonly database: Database
  readonly keyOf: (account: string) => string
  startWorker(): Worker
}

export interface Worker {
  readonly child: ChildProcess
  readonly stderr: () => string
  /** It works: it hears signals by then. */
  readonly begun: Promise<void>
  readonly ended: Promise<number | null>
}

/** A run lasts long enough that a kill may hit it. */
const ANSWERS_AFTER_MS = 60

export async function openQueueScene(
  { accounts: count, command }: { readonly accounts: number; readonly command: string },
  schedule: string,
): Promise<QueueScene> {
  await using opened = new AsyncDisposableStack()
  const names = Array.from({ length: count }, (_, at) => `account-${at + 1}`)
  const accounts = new Map(names.map((name) => [name, newAccount(name)]))
  const service = opened.use(await startFaultServer())
  const byKey = new Map(names.map((name) => [keyOf(name), accounts.get(name)]))
  service.always(
    send(async (request) => {
      await setTimeout(ANSWERS_AFTER_MS)
      return byKey.get(request.headers['x-api-key'] ?? '')?.answer(request) ?? { status: 401 }
    }),
  )
  const { url: server, stop } = await startPostgres()
  opened.defer(stop)
  const url = `${server}/mirror_template`
  const database = opened.use(await connect(url))
  const folder = await mkdtemp(join(tmpdir(), 'headcount-queue-kill-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'keys'))
  for (const name of names) await writeFile(join(folder, 'keys', `${name}.key`), keyOf(name))
  const file = join(folder, 'accounts.yaml')
  await writeFile(
    file,
    `accounts:\n${names.map((name) => `  - name: ${name}\n    key_file: keys/${name}.key\n`).join('')}`,
  )
  const env = {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    HEADCOUNT_ACCOUNTS_FILE: file,
    HEADCOUNT_BASE_URL: service.baseUrl.href,
    HEADCOUNT_SCHEDULE: schedule,
    HEADCOUNT_CONCURRENCY: '2',
    DATABASE_URL: url,
  }
  const workers = new Set<ChildProcess>()
  const done = opened.move()
  done.defer(() => {
    for (const child of workers) child.kill('SIGKILL')
  })
  return {
    accounts,
    baseUrl: service.baseUrl.href,
    url,
    database,
    keyOf,
    startWorker: () => {
      const args = [command, 'worker', '--queue', '--runs', '3', '--runs-per-host', '9']
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
      workers.add(child)
      let stderr = ''
      const begun = Promise.withResolvers<void>()
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
        if (stderr.includes('takes jobs of')) begun.resolve()
      })
      const ended = once(child, 'close').then(([code]: (number | null)[]) => code ?? null)
      void ended.then(() => begun.resolve())
      return { child, stderr: () => stderr, begun: begun.promise, ended }
    },
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  }
}

/** Every run finds work in some accounts: a response comes, or changes. */
export function moveOn(accounts: ReadonlyMap<string, Account>, chance: Chance): void {
  for (const account of accounts.values()) {
    if (chance.odds(0.6)) continue
    const [id = ''] = chance.shuffle([...account.responses.keys()])
    const list = account.of(id)
    // Nothing is withdrawn: what looks like an outage would be held.
    const at = chance.int(0, list.length - 1)
    const changed = Object(list[at]) as { readonly id: number }
    list[at] = responseItem(changed.id, { name: `Guest ${nextId()}` })
    if (chance.odds(0.5)) list.push(responseItem(nextId()))
  }
}

let newest = 1000

function nextId(): number {
  newest += 1
  return newest
}

function newAccount(name: string): Account {
  const account = accountOf({ gala: 12, picnic: 5, ball: 3 })
  account.keys = [keyOf(name)]
  account.email = `${name}@example.org`
  return account
}

function keyOf(account: string): string {
  return `key-of-${account}-0123456789`
}
