/** A service that answers with these very texts, byte for byte, and a mirror that is looked at row by row. */
import { expect } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { rowObjects } from '../../../src/db/transaction.ts'
import type { RunOptions } from '../../../src/index.ts'
import { accountOf } from '../accounts/account.ts'
import { readContents } from '../mirror/contents.ts'
import type { Contents } from '../mirror/contents.ts'
import type { engines } from '../databases/databases.ts'
import { send } from './fault-server.ts'
import type { SeenRequest } from './fault-server.ts'
import { expectContiguous, expectNoKey } from '../mirror/invariants.ts'
import { startStage } from '../runs/stage.ts'
import type { Ended, Stage } from '../runs/stage.ts'

export type Row = Readonly<Record<string, unknown>>

export interface Wire extends AsyncDisposable, Pick<Stage, 'engine' | 'target' | 'service' | 'change'> {
  /** The responses to each event as the service sends them, and under `` the event list. */
  readonly bodies: Map<string, string>
  readonly sync: (options?: Partial<RunOptions>) => Promise<Ended>
  readonly backfill: (options?: Partial<RunOptions>) => Promise<Ended>
  readonly look: () => Promise<Look>
}

/** What stood in the mirror at one moment; bigint and numeric as text, time stamps as ISO 8601 in UTC. */
export interface Look {
  readonly contents: Contents
  /** The rows of a table, of one event when it is named, in order of their keys. */
  readonly rows: (table: keyof typeof orders, event_id?: string) => readonly Row[]
}

const orders = {
  accounts: 'id',
  events: 'account_id, id',
  responses: 'account_id, event_id, id',
  payments: 'account_id, event_id, response_id',
  slots: 'account_id, event_id, response_id, position',
  rejects: 'account_id, event_id, item_index',
  sync_state: 'account_id, event_id',
  event_history: 'account_id, event_id, valid_from',
  response_history: 'account_id, event_id, response_id, valid_from',
  api_observations: 'account_id, path, kind, value',
}

export async function startWire(engine: (typeof engines)[number]): Promise<Wire> {
  const stage = await startStage(engine, accountOf({}))
  const bodies = new Map<string, string>([['', '[]']])
  stage.service.always(send((request) => answerFrom(bodies, stage, request)))
  const said: string[] = []
  const hear = async (run: Promise<Ended>) => {
    const ended = await run
    said.push(ended.said)
    return ended
  }
  return {
    engine,
    target: stage.target,
    service: stage.service,
    change: stage.change,
    bodies,
    sync: (options) => hear(stage.run('sync', options)),
    backfill: (options) => hear(stage.run('backfill', options)),
    look: async () => {
      const look = await lookAt(stage.target)
      expectNoKey(look.contents, said.splice(0).join('\n'))
      expectContiguous(look.contents)
      return look
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  }
}

/** Lists come from their texts, all else from the account; an event without a text has no responses. */
function answerFrom(bodies: ReadonlyMap<string, string>, { account }: Stage, request: SeenRequest) {
  const [, , , first, id] = request.path.split('/')
  if (first !== 'events') return account.answer(request)
  return { body: bodies.get(decodeURIComponent(id ?? '')) ?? '[]' }
}

async function lookAt(target: Stage['target']): Promise<Look> {
  await using database = await connect(target)
  const contents = await readContents(database)
  const tables = await database.transaction(
    async (trx) => {
      const read: Record<string, readonly Row[]> = {}
      for (const [table, order] of Object.entries(orders)) {
        read[table] = rowObjects(await trx.query(`select * from headcount.${table} order by ${order}`))
      }
      return read
    },
    { readOnly: true },
  )
  return {
    contents,
    rows: (table, event_id) => {
      const key = table === 'events' ? 'id' : 'event_id'
      const all = tables[table] ?? []
      return event_id === undefined ? all : all.filter((row) => row[key] === event_id)
    },
  }
}

/** Runs over bodies with something wrong in them, over the same once more, and over sound ones. */
export interface Course {
  readonly first: Ended
  readonly stored: Look
  /** The same bodies, then the same again without trust in digests. */
  readonly again: readonly Ended[]
  readonly after: Look
  readonly mended: Ended
  readonly sound: Look
}

export async function runCourse(
  engine: (typeof engines)[number],
  odd: Readonly<Record<string, string>>,
  sound: Readonly<Record<string, string>>,
): Promise<Course> {
  await using wire = await startWire(engine)
  const serve = (bodies: Readonly<Record<string, string>>) => {
    for (const [id, body] of Object.entries(bodies)) wire.bodies.set(id, body)
  }
  serve(odd)
  const first = await wire.sync()
  const stored = await wire.look()
  const again = [await wire.sync(), await wire.backfill()]
  const after = await wire.look()
  serve(sound)
  const mended = await wire.sync()
  return { first, stored, again, after, mended, sound: await wire.look() }
}

/** The list of these events, each with nothing but its id. */
export function eventsText(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => ({ id })))
}

/** What runs over the same bodies left alone: no row written, no version made, the same rejects. */
export function expectNoChurn({ stored, again, after }: Course): void {
  for (const { report } of again) {
    const none = { inserted: 0, updated: 0, deleted: 0 }
    expect(report.rows).toEqual({ events: none, responses: none, payments: none, slots: none })
    expect(report.events).toMatchObject({ changed: 0, failed: 0 })
  }
  for (const table of ['events', 'responses', 'payments', 'slots'] as const)
    expect(after.rows(table)).toEqual(stored.rows(table))
  expect([after.rows('event_history'), after.rows('response_history')]).toEqual([[], []])
  const lasting = ({ run_id: _, seen_at: __, ...reject }: Row) => reject
  expect(after.rows('rejects').map(lasting)).toEqual(stored.rows('rejects').map(lasting))
}
