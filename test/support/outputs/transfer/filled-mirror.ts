/** A mirror with a row in every table, with values that a careless copy would change. */
import { createHash } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { change } from '../../databases/older-schema.ts'
import { freshPlace, type engines, type Place } from '../../databases/databases.ts'
import { blankPglite, lendPglite } from '../../databases/lending.ts'
import { send, startFaultServer, type FaultServer } from '../../http/fault-server.ts'
import { testKey } from '../../http/reading.ts'
import { optionOf, type Target } from '../../runs/stage.ts'
import { sync, type RunOptions, type RunReport } from '../../../../src/index.ts'

type Engine = (typeof engines)[number]

const MOST = '9223372036854775807'

/** Sent as text, for numbers that no double holds. */
const items = (edited: boolean) =>
  JSON.stringify([
    {
      id: 1,
      name: 'tab\there\\N and "\\." \u2028 \u{1f600} \u00e9 e\u0301 \r\n\u0001\u007f',
      email: 'Ada@Example.org ',
      message: edited ? '' : '\\\\ \\.\n\\.\n',
      quantity: MOST,
      rsvp: 'yes',
      created_at: '0001-01-01T00:00:00Z',
      updated_at: '9999-12-31T23:59:59.999999Z',
      amount: '12.500',
      processing_fee: '0.000000000000000000000000000000000001',
      phone: { deep: ['\\u0001', 1.1, null, { '': '\ud83d\ude00' }] },
    },
    { id: 900719925474099, name: '', message: 'x'.repeat(200_000), amount: `${'9'.repeat(60)}.10` },
    {
      id: 3,
      slots: [
        { name: 'door', start_date: '2026-07-01T10:00:00+02:00', end_date: null, note: '{a,"b"}' },
        { name: null, start_date: 'late', end_date: '2026-07-01T10:00:00.000001-11:00' },
      ],
    },
    ...(edited ? [] : [{ id: 4, name: 'goes' }]),
    { name: 'has no id' },
  ]).replaceAll(`"${MOST}"`, MOST)

const events = (edited: boolean) =>
  JSON.stringify([
    { id: 'gala', title: edited ? 'Gala' : 'Ball', event_at: '2026-12-24T18:00:00Z' },
    { id: 'a/b \u00fc', title: null },
    ...Array.from({ length: 20 }, (_, at) => ({
      id: `e${at}`,
      title: `Event ${at}`,
      event_at: '2020-01-01T00:00:00Z',
    })),
  ])

export interface FilledMirror extends AsyncDisposable {
  readonly target: Target
  /** On Postgres; a PGlite that stays open has no address. */
  readonly place: Place
  readonly service: FaultServer
  /** A run on any database, with the requests that it made, in the order of their paths. */
  readonly sync: (
    target: Target,
    options?: Partial<RunOptions>,
  ) => Promise<{ readonly report: RunReport; readonly requests: readonly string[] }>
}

const bodies = (edited: boolean): ReadonlyMap<string, string> =>
  new Map([
    ['/api/v1/ping', '{"email":"owner@example.org"}'],
    ['/api/v1/events', events(edited)],
    ['/api/v1/events/gala/responses', items(edited)],
  ])

/** A service, and a mirror of it after two runs, with what owners of a mirror add. */
export async function fillMirror(engine: Engine): Promise<FilledMirror> {
  await using opened = new AsyncDisposableStack()
  const service = opened.use(await startFaultServer())
  const place = engine === 'postgres' ? opened.use(await freshPlace(engine)) : null
  const target = place?.url ?? { pglite: opened.use(await lendPglite()).pglite }
  let sent = bodies(false)
  service.always(
    send(({ path, headers }) => {
      const body = sent.get(path) ?? '[{"id":7,"name":"Bob"}]'
      const etag = `"${createHash('sha256').update(body).digest('hex')}"`
      return headers['if-none-match'] === etag
        ? { status: 304, headers: { etag } }
        : { body, headers: { etag } }
    }),
  )
  const run = async (of: Target, options: Partial<RunOptions> = {}) => {
    const before = service.requests.length
    const report = await sync({
      ...optionOf(of),
      apiKey: testKey,
      baseUrl: service.baseUrl.href,
      acceptDeletions: true,
      account: 'default',
      ...options,
    })
    const made = service.requests.slice(before)
    const requests = made.map(({ path, headers }) => `${path} ${headers['if-none-match'] ?? ''}`)
    return { report, requests: requests.toSorted() }
  }
  await run(target)
  sent = bodies(true)
  await run(target)
  await (async () => {
    await using database = await connect(target)
    await change(database, additions)
  })()
  const resources = opened.move()
  return {
    target,
    get place() {
      if (place === null) throw new Error('A PGlite that stays open has no address.')
      return place
    },
    service,
    sync: run,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** An empty database without any schema, open for all calls of a test. */
export async function blankTarget(engine: Engine, opened: AsyncDisposableStack): Promise<Target> {
  if (engine === 'postgres') return opened.use(await freshPlace(engine, { blank: true })).url
  const pglite = await blankPglite()
  opened.defer(() => pglite.close())
  return { pglite }
}

/** Opens a PGlite folder once for several calls, each of which would take longer to open it than for its work. */
export async function keepOpen({ engine, url }: Place, opened: AsyncDisposableStack): Promise<Target> {
  if (engine === 'postgres') return url
  const pglite = await PGlite.create(url.slice('pglite:'.length))
  opened.defer(() => pglite.close())
  return { pglite }
}

export async function readRows(target: Target): Promise<Awaited<ReturnType<typeof rowsOf>>> {
  await using database = await connect(target)
  return await rowsOf(database)
}

/** What runs did not write. */
const additions = [
  `insert into headcount.accounts (name, email) values ('second', null)`,
  `insert into headcount.accepted_rejects (account_id, sha256) values (1, repeat('a', 64))`,
  `insert into headcount.api_keys (account_id, sha256, label, last_used_on, expires_at)
     values (1, repeat('b', 64), 'a label', '2026-02-28', 'infinity'), (1, repeat('c', 64), null, null, '-infinity')`,
  `insert into headcount.api_keys (account_id, sha256) values (1, repeat('d', 64))`,
  `delete from headcount.api_keys where id = 3`,
  `insert into headcount.links (account_id, sha256, view, format, event_id, with_personal, label, revoked_at)
   values (1, repeat('a', 64), 'slots', 'ics', 'gala', false, 'rota', now()), (1, repeat('b', 64), 'events', 'csv', null, true, null, null)`,
  `delete from headcount.links where id = 2`,
  `insert into headcount.deliveries (account_id, kind, name, event_id, recipient_sha256, recipient, delivered_run_id, state, told)
   values (1, 'digest', 'default', 'gala', repeat('a', 64), 'mailto:ada@example.org', 3, null, '{}'),
          (1, 'notice', 'mirror', null, repeat('b', 64), 'https://example.org/…', null, 'failed', '{"failed": "2026-11-24T10:00:00Z"}')`,
  `insert into headcount.suppressions (account_id, email_hash, key_check, erased_at)
     values (2, decode(repeat('00ff', 16), 'hex'), 'other', now()), (2, null, 'lost', null)`,
  `insert into headcount.suppressed_responses values (2, 'gala', -9223372036854775808, 2)`,
  `insert into headcount.rsvp_meanings values ('peut-être', 'maybe')`,
  `delete from headcount.rsvp_meanings where value = 'no'`,
  `insert into headcount.slot_targets values (1, null, 'door', 3), (1, 'gala', null, 4)`,
  `insert into headcount.sync_runs (account_id, mode, status, heartbeat_at)
     values (2, 'sync', 'running', '2026-01-01 00:00:00.000001+00')`,
  `insert into headcount.readers (role_name, with_personal) values ('reporting', true), ('board', false)`,
  `update headcount.sync_state set held_deletions = '[]', unconfirmed_absences = '["9"]', held_deletion_count = 2 where event_id = 'e3'`,
] as const

/** Every row of every table as JSON, but for what belongs to one database alone. */
export async function rowsOf(database: Database): Promise<Readonly<Record<string, readonly unknown[]>>> {
  return database.transaction(
    async (trx) => {
      const { rows: tables } = await trx.query(
        `select tablename::text from pg_tables where schemaname = 'headcount' order by 1`,
      )
      const read: Record<string, readonly unknown[]> = {}
      for (const [table] of tables) {
        if (['schema_migrations', 'readers', 'moved'].includes(String(table))) continue
        const { rows } = await trx.query(
          `select to_jsonb(t)::text from headcount.${String(table)} t order by to_jsonb(t)::text collate "C"`,
        )
        read[String(table)] = rows.map(([row]) => row)
      }
      return read
    },
    { readOnly: true },
  )
}
