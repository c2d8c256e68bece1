/** Every view shows what an independent computation over the tables gives, at every step of drawn histories. */
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../../src/common/json/exact.ts'
import { VIEWS } from '../../../src/common/schema/view-columns.ts'
import { connect, type Database } from '../../../src/db/connect.ts'
import { prune } from '../../../src/index.ts'
import { engines } from '../../support/databases/databases.ts'
import { startWire, type Wire } from '../../support/http/wire.ts'
import { optionOf } from '../../support/runs/stage.ts'
import { drawnAccount } from '../../support/views/drawn-account.ts'
import { expectedViews, type MirrorRows } from '../../support/views/expected/expected-views.ts'
import { VIEW_NAMES } from '../../support/views/expected/rows.ts'
import { readViews, type Row } from '../../support/views/read-views.ts'

const tables: readonly (keyof MirrorRows)[] = [
  'accounts',
  'sync_runs',
  'sync_state',
  'events',
  'responses',
  'payments',
  'slots',
  'event_history',
  'response_history',
  'rejects',
  'accepted_rejects',
  'rsvp_meanings',
  'slot_targets',
]

/** What the service sends from now on, all of it mirrored. */
async function mirror(wire: Wire, bodies: ReadonlyMap<string, string>, account: string) {
  wire.bodies.clear()
  for (const [id, body] of bodies) wire.bodies.set(id, body)
  const { error } = await wire.sync({ all: true, acceptDeletions: true, account, createAccount: true })
  expect(error).toBeNull()
}

interface Settings {
  readonly account?: string
  readonly timeZone?: string
}

async function expectViews(database: Database, { account = '', timeZone = '' }: Settings = {}) {
  const { now, rows } = await readViews(database, [...VIEW_NAMES, ...tables, 'person_id_secret'], {
    'headcount.account': account,
    'headcount.time_zone': timeZone,
  })
  const of = (name: string) => rows.get(name) ?? []
  const expected = expectedViews(Object.fromEntries(rows) as unknown as MirrorRows, {
    now,
    account: account || null,
    timeZone: timeZone || null,
    secret: Buffer.from(String(of('person_id_secret')[0]?.['secret']).slice(2), 'hex'),
  })
  note(of)
  for (const [name, columns] of Object.entries(VIEWS))
    for (const row of of(name))
      for (const [column, type] of Object.entries(columns))
        if (type.endsWith('not null')) expect(row[column], `${name}.${column}`).not.toBeNull()
  for (const name of VIEW_NAMES) {
    const got = of(name).map(comparable).toSorted()
    expect(got, name).toEqual(expected[name].map(comparable).toSorted())
  }
}

/** What the drawn histories have come upon, so that no rule is left without a case. */
const seen = new Set<string>()

function note(of: (name: string) => readonly Row[]) {
  for (const { what } of of('event_changes')) seen.add(`event ${String(what)}`)
  for (const { initial, run_id } of of('changes'))
    seen.add(`initial ${String(initial)}, run ${run_id === null ? 'unknown' : 'known'}`)
  for (const { emptied_at } of of('thin_slots')) seen.add(emptied_at === null ? 'thin slot' : 'emptied slot')
  for (const { rank } of of('similar_events')) seen.add(`similar event ${String(rank)}`)
  for (const { withdrawn_responses } of of('response_pace'))
    if (withdrawn_responses !== '0') seen.add('withdrawn')
  for (const { edited_7d, withdrawn_7d } of of('event_summary')) {
    if (edited_7d !== '0') seen.add('edited')
    if (withdrawn_7d !== '0') seen.add('withdrawn lately')
  }
  for (const { responses, payments, coming } of of('event_respondents'))
    if (responses !== '1' && payments !== '0' && coming !== '0') seen.add('said yes and paid')
}

/** A row as text: columns by name, numbers without zeros at their end, JSON values as text of JSON. */
function comparable(row: Row): string {
  return Object.keys(row)
    .toSorted()
    .map((name) => `${name}: ${plain(row[name])}`)
    .join('\n')
}

function plain(value: unknown): string {
  if (typeof value === 'string' && /^-?\d+\.\d*0+$/.test(value)) return value.replace(/\.?0+$/, '')
  if (typeof value === 'string' && /^[{[]/.test(value)) return jsonText(parseJson(value))
  return value !== null && typeof value === 'object' ? jsonText(value) : String(value)
}

/** JSON with the keys of objects in order. */
function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner) && !('rawJSON' in inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

describe.each(engines)('the views (%s)', (engine) => {
  test.each(engine === 'postgres' ? [1, 2, 3] : [4])(
    'of two accounts that share the ids of events show what the tables say, seed %i',
    async (seed) => {
      await using wire = await startWire(engine)
      await using database = await connect(wire.target)
      const now = Date.now()
      let moment = new Date(now)
      const east = drawnAccount(seed, 4, now)
      const west = drawnAccount(seed + 100, 4, now)
      for (let reading = 0; reading < 4; reading++) {
        await mirror(wire, east.next().value ?? new Map(), 'east')
        await mirror(wire, west.next().value ?? new Map(), 'west')
        if (reading === 1) moment = new Date()
        if (reading === 0)
          await wire.change(
            `update headcount.accounts set time_zone = case name when 'east' then 'Pacific/Auckland' else 'America/New_York' end`,
            `insert into headcount.rsvp_meanings values ('Yes', 'coming')`,
            `insert into headcount.slot_targets values
               (1, null, null, 3), (1, 'e1', null, 4), (1, null, 'Door', 5), (1, 'e1', 'Door', 60), (2, 'e2', 'Kitchen', 1)`,
          )
        await expectViews(database)
        await expectViews(database, { account: 'west', timeZone: 'Asia/Kolkata' })
        if (reading === 2) {
          await prune({ ...optionOf(wire.target), historyBefore: moment })
          await expectViews(database)
        }
      }
    },
  )
})

test('the drawn histories have a case of each', () => {
  expect([...seen].toSorted()).toEqual([
    'edited',
    'emptied slot',
    'event announced',
    'event edited',
    'event moved',
    'event relocated',
    'event removed',
    'event renamed',
    'event returned',
    'initial false, run known',
    'initial true, run known',
    'said yes and paid',
    'similar event 1',
    'similar event 2',
    'similar event 3',
    'thin slot',
    'withdrawn',
    'withdrawn lately',
  ])
})
