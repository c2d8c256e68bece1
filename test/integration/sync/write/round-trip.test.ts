/** For random accounts: service, mirror, rows, and the service's JSON again is the account. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isDeepStrictEqual } from 'node:util'
import { connect } from '../../../../src/db/connect.ts'
import type { Database } from '../../../../src/db/connect.ts'
import type { JsonObject } from '../../../../src/common/json/exact.ts'
import { compare, mirrorOf, rejectsOf, twoVersions } from '../../../support/accounts/account-texts.ts'
import type { AccountTexts, Meanings } from '../../../support/accounts/account-texts.ts'
import { readLive } from '../../../support/mirror/live-rows.ts'
import { startWire } from '../../../support/http/wire.ts'
import type { Wire } from '../../../support/http/wire.ts'
import { meaningOf } from '../../../support/accounts/wire-item.ts'
import { examples } from '../../../support/seed.ts'

// A run on PGlite opens its folder anew and costs ten times as much as one on Postgres.
describe.each([
  ['postgres', examples(15)],
  ['pglite', examples(4)],
] as const)('round trip (%s)', (engine, numRuns) => {
  test('two syncs of two versions of an account are one sync of the second, and history replays the first', async () => {
    await using wire = await startWire(engine)
    let number = 0
    const property = fc.asyncProperty(twoVersions, async ([first, second]) => {
      number += 1
      const [twice, once] = [`twice ${number}`, `once ${number}`]
      const then = await mirror(wire, twice, first)
      await mirror(wire, twice, second)
      await mirror(wire, once, second)

      await using database = await connect(wire.target)
      const was = mirrorOf(first)
      expect(await readMeanings(database, twice, then)).toEqual(was)
      expect(await readMeanings(database, twice, null)).toEqual(mirrorOf(second, was))
      expect(await readMeanings(database, once, null)).toEqual(mirrorOf(second))
      expect(await readRejects(database, once)).toEqual(rejectsOf(second))
      // Unless a rejected item kept a row of the first version alive, the tables are the same to the last column.
      if (isDeepStrictEqual(mirrorOf(second, was), mirrorOf(second)))
        expect(await readLive(database, twice)).toEqual(await readLive(database, once))
    })
    await fc.assert(property, { numRuns, seed: 20260501 })
  })
})

/** Mirrors this version, all its deletions applied, and tells when it was there by the clock of the database. */
async function mirror(wire: Wire, account: string, { events, lists }: AccountTexts): Promise<string> {
  wire.bodies.clear()
  wire.bodies.set('', `[${events.join(',')}]`)
  for (const [id, responses] of lists) wire.bodies.set(id, `[${responses.join(',')}]`)
  const first = await wire.sync({ account, createAccount: true })
  const { status, report } =
    first.report.held > 0 ? await wire.sync({ account, acceptDeletions: true }) : first
  expect({ status, held: report.held, errors: report.errors }).toEqual({
    status: report.rejected > 0 ? 'held' : 'succeeded',
    held: 0,
    errors: [],
  })
  return report.finished_at
}

/** The items of an account as the service would send them, in their meaning: now, or as of a former moment. */
async function readMeanings(database: Database, account: string, at: string | null): Promise<Meanings> {
  const rows = await select(
    database,
    `with versions as (
       select account_id, id as event_id, null::bigint as response_id, _changed_at as valid_from,
              null::timestamptz as valid_to, headcount_internal.event_document(e) as document
         from headcount.events e
       union all
       select account_id, event_id, id, _changed_at, null, headcount_internal.response_document(r)
         from headcount.responses r
       union all
       select account_id, event_id, null, valid_from, valid_to, document from headcount.event_history
       union all
       select account_id, event_id, response_id, valid_from, valid_to, document from headcount.response_history)
     select event_id, response_id, document
       from versions
       join headcount.accounts a on a.id = account_id
      where a.name = $1
        and case when $2::timestamptz is null then valid_to is null
                 else valid_from <= $2 and (valid_to is null or valid_to > $2) end`,
    [account, at],
  )
  const meanings = new Map<string, { record: string; responses: Map<string, string> }>()
  for (const [event_id, response_id, document] of rows) {
    const id = String(event_id)
    const event = meanings.get(id) ?? { record: 'no record', responses: new Map<string, string>() }
    meanings.set(id, event)
    if (typeof response_id === 'string')
      event.responses.set(response_id, meaningOf('response', document as JsonObject))
    else event.record = meaningOf('event', document as JsonObject)
  }
  return meanings
}

async function readRejects(database: Database, account: string): Promise<string[]> {
  const rows = await select(
    database,
    `select coalesce(event_id, ''), item_index, payload
       from headcount.rejects join headcount.accounts a on a.id = account_id
      where a.name = $1`,
    [account],
  )
  return rows
    .map(([id, place, payload]) => `${String(id)} ${String(place)} ${String(payload)}`)
    .toSorted(compare)
}

async function select(database: Database, text: string, values: readonly unknown[]) {
  return (await database.transaction((trx) => trx.query(text, values), { readOnly: true })).rows
}
