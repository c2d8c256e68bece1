/** What runs keep of what the specification leaves open, and what they warn of. */
import { describe, expect, test } from 'vitest'
import { engines } from '../../support/databases/databases.ts'
import { refusal } from '../../support/accounts/account.ts'
import { send } from '../../support/http/fault-server.ts'
import { testKey } from '../../support/http/reading.ts'
import { eventsText, startWire } from '../../support/http/wire.ts'
import type { Ended } from '../../support/runs/stage.ts'
import type { Look, Wire } from '../../support/http/wire.ts'

const observed = (look: Look): Record<string, number> =>
  Object.fromEntries(
    look
      .rows('api_observations')
      .map(({ path, kind, value, count }) => [[path, kind, value].join(' '), Number(count)]),
  )
const replies = (...values: readonly string[]) =>
  JSON.stringify(
    values.map((rsvp, id) => ({
      id,
      name: `Jane Canary ${id}`,
      email: `jane${id}@canary.test`,
      message: 'Canary',
      rsvp,
    })),
  )

describe.each(engines)('observations (%s)', (engine) => {
  test('are counted once for each run, unchanged lists aside; what is new from the second run on is told', async () => {
    await using wire = await startWire(engine)
    serve(wire, { '': eventsText(['gala', 'ball']), gala: replies('yes', 'no'), ball: replies('yes') })
    expect((await wire.sync()).report.warnings).toEqual([])
    const first = await wire.look()
    expect(observed(first)).toMatchObject({
      'response.rsvp value yes': 1,
      'response.rsvp value no': 1,
      'reply.id sent value': 1,
      'reply.quantity sent absent': 1,
      'event.id sent value': 1,
      'event.event_type sent absent': 1,
      'responses order ids ascending': 1,
    })

    expect((await wire.sync()).report.warnings).toEqual([])
    expect((await wire.backfill()).report.warnings).toEqual([])
    expect((await wire.look()).rows('api_observations')).toEqual(first.rows('api_observations'))

    serve(wire, { gala: replies('yes', 'no', 'waitlist', 'waitlist', 'waitlist') })
    const { report } = await wire.sync()
    expect(report.warnings).toEqual(['`rsvp` = `waitlist` seen for the first time in a response'])
    const last = await wire.look()
    expect(observed(last)).toMatchObject({
      'response.rsvp value yes': 2,
      'response.rsvp value no': 2,
      'response.rsvp value waitlist': 1,
      'reply.id sent value': 2,
      'event.id sent value': 1,
    })
    const yes = ({ rows }: Look) => rows('api_observations').find(({ value }) => value === 'yes')
    expect(yes(last)?.['first_seen_at']).toBe(yes(first)?.['first_seen_at'])
    expect(yes(last)?.['last_seen_at']).not.toBe(yes(first)?.['last_seen_at'])
    expect(JSON.stringify(last.rows('api_observations'))).not.toMatch(/canary/i)
  })

  test('what a bad item gets is observed, where the design says so: P5, P8, P13, P14, H12', async () => {
    await using wire = await startWire(engine)
    serve(wire, {
      '': '[{"id":"gala","title":"Gala"},{"id":7,"title":"Ball"}]',
      gala: '[{"id":1,"name":"a","name":"b","amount":1.50},{"id":"2","quantity":"3","email":"x@example.org"}]',
    })
    await wire.sync()
    serve(wire, {
      '': '[{"id":"gala"},{"id":7}]',
      gala: '[{"id":1,"name":"a"},{"id":2,"name":"b"}]',
      '7': '{"items":[],"next":"?page=2"}',
    })
    expect((await wire.sync()).report.events).toMatchObject({ failed: 1 })
    expect(observed(await wire.look())).toMatchObject({
      'response duplicate_key name': 1,
      'response.amount sent_as number': 1,
      'response.id sent_as text': 1,
      'response.quantity sent_as text': 1,
      'event.id sent_as number': 2,
      'event.id sent value': 2,
      'response.email gone from every item of a list': 1,
      'response.amount gone from every item of a list': 1,
      'event.title gone from every item of a list': 1,
      'responses sign an object with keys of paging': 1,
    })
  })
})

describe('observations of a run that dies before it is closed', () => {
  /** A run whose batches are stored, and its end is not. */
  async function dyingSync(wire: Wire): Promise<Ended> {
    await wire.change(
      `create or replace function public.die() returns trigger language plpgsql as $$ begin
         raise exception 'the server went away'; end $$`,
      `create trigger die before update on headcount.sync_runs for each row
         when (new.report is not null) execute function public.die()`,
    )
    const ended = await wire.sync()
    await wire.change(
      'drop trigger die on headcount.sync_runs',
      `update headcount.sync_runs set status = 'abandoned' where status = 'running'`,
    )
    return ended
  }

  test('are told by the next run, once: whatever the lists that it stored showed', async () => {
    await using wire = await startWire('postgres')
    serve(wire, { '': eventsText(['gala', 'ball']), gala: replies('yes', 'no'), ball: replies('yes') })
    await wire.sync()
    serve(wire, {
      gala: replies('yes', 'no', 'waitlist', 'waitlist', 'Jane Canary 4'),
      ball: '[{"id":0,"rsvp":"yes","seat":"A","quantity":"3"},{"id":1,"rsvp":"no"}]',
    })
    expect(await dyingSync(wire)).toMatchObject({ exit: 5 })
    expect((await wire.look()).rows('responses', 'gala')).toHaveLength(5)
    const news = { 'response.rsvp value waitlist': 0, 'response unknown_field seat': 0 }
    expect(observed(await wire.look())).toMatchObject(news)
    expect((await wire.sync()).report.warnings.toSorted()).toEqual([
      '`quantity` sent as `text` seen for the first time in a response',
      '`rsvp` = `waitlist` seen for the first time in a response',
      '`rsvp` = a value that is not kept (long, or personal), seen for the first time in a response',
      'a field of the response that the specification does not name, `seat`, seen for the first time in a response',
    ])
    const told = await wire.look()
    expect(observed(told)).toMatchObject({
      'response.rsvp value waitlist': 1,
      'response unknown_field seat': 1,
      'response.rsvp value no': 1,
    })
    expect((await wire.sync()).report.warnings).toEqual([])
    expect((await wire.look()).rows('api_observations')).toEqual(told.rows('api_observations'))
  })

  test('are told once where the next run reads the list again', async () => {
    await using wire = await startWire('postgres')
    serve(wire, { '': eventsText(['gala']), gala: replies('yes') })
    await wire.sync()
    serve(wire, { gala: replies('yes', 'waitlist') })
    await dyingSync(wire)
    serve(wire, { gala: replies('yes', 'waitlist', 'yes') })
    expect((await wire.sync()).report.warnings).toEqual([
      '`rsvp` = `waitlist` seen for the first time in a response',
    ])
  })

  test('that a field is gone from every response is in its log', async () => {
    await using wire = await startWire('postgres')
    serve(wire, { '': eventsText(['gala']), gala: '[{"id":1,"email":"x@example.org"}]' })
    await wire.sync()
    serve(wire, { gala: '[{"id":1}]' })
    const logged: string[] = []
    const hear = (_fields: object, message: string) => void logged.push(message)
    const logger = { debug: hear, info: hear, warn: hear, error: hear }
    await wire.sync({ logger })
    expect(logged).toContain('Event gala: no response has "email" any more; its column is now empty.')
  })
})

describe('observations', () => {
  test('of two accounts do not mix', async () => {
    await using wire = await startWire('postgres')
    serve(wire, { '': eventsText(['gala']), gala: replies('yes', 'no') })
    await wire.sync()
    serve(wire, { gala: replies('yes') })
    expect((await wire.sync({ account: 'other', createAccount: true })).report.warnings).toEqual([])
    const rows = await wire.change(
      `select account_id, value, count from headcount.api_observations where kind = 'value' order by 1, 2`,
    )
    expect(rows).toEqual([
      [1, 'no', '1'],
      [1, 'yes', '1'],
      [2, 'yes', '1'],
    ])
    // What the one account is known for is still news of the other.
    serve(wire, { gala: replies('yes', 'no') })
    expect((await wire.sync({ account: 'other', createAccount: true })).report.warnings).toEqual([
      '`rsvp` = `no` seen for the first time in a response',
    ])
  })

  test('of a service that puts data in keys and values are bounded, with the warnings', async () => {
    await using wire = await startWire('postgres')
    const flood = (from: number) =>
      JSON.stringify(
        Array.from({ length: 300 }, (_, id) => ({ id, [`key ${from + id}`]: 1, rsvp: `value ${from + id}` })),
      )
    serve(wire, { '': eventsText(['gala']), gala: '[{"id":0}]' })
    await wire.sync()
    for (const from of [0, 250]) {
      serve(wire, { gala: flood(from) })
      expect((await wire.sync()).report.warnings.length).toBeLessThanOrEqual(11)
    }
    const rows = (await wire.look()).rows('api_observations')
    for (const kind of ['value', 'unknown_field']) {
      const values = rows.filter((row) => row['kind'] === kind)
      expect(values).toHaveLength(101)
    }
  })

  test('X2 the key in a value or in the name of a field is not kept', async () => {
    await using wire = await startWire('postgres')
    const key = JSON.stringify(testKey)
    serve(wire, {
      '': eventsText(['gala']),
      gala: `[{"id":1,${key}:1,${key}:2},{"id":2,"rsvp":${key}}]`,
    })
    await wire.sync()
    const kept = JSON.stringify(await wire.change('select path, value from headcount.api_observations'))
    expect(kept).not.toContain('canary')
    expect(kept.match(/\[key removed\]/g)).toHaveLength(3)
  })

  test('D4 what a batch saw that is rolled back is not stored', async () => {
    await using wire = await startWire('postgres')
    await wire.change(
      `create function public.refuse() returns trigger language plpgsql as $$ begin
         if new.message = 'refuse' then raise exception 'refused'; end if; return new; end $$`,
      // At the commit, when everything of the batch was written.
      `create constraint trigger refuse after insert on headcount.responses
         deferrable initially deferred for each row execute function public.refuse()`,
    )
    serve(wire, { '': eventsText(['gala']), gala: '[{"id":1,"rsvp":"yes","message":"refuse"}]' })
    expect(await wire.sync()).toMatchObject({ exit: 5, status: 'failed' })
    expect(Object.keys(observed(await wire.look())).filter((key) => key.startsWith('reply'))).toEqual([])
    serve(wire, { gala: '[{"id":1,"rsvp":"yes"}]' })
    await wire.sync()
    expect(observed(await wire.look())).toMatchObject({
      'response.rsvp value yes': 1,
      'reply.id sent value': 1,
    })
  })

  test('statuses that are no answer are counted, in every run', async () => {
    await using wire = await startWire('postgres')
    serve(wire, { '': eventsText(['gala']), gala: '[]' })
    for (let run = 0; run < 2; run += 1) {
      wire.service.at('/events/gala/responses', send(refusal(422)))
      expect(await wire.sync()).toMatchObject({ exit: 6 })
    }
    expect(observed(await wire.look())).toMatchObject({ 'responses status 422': 2 })
  })
})

function serve(wire: Wire, bodies: Readonly<Record<string, string>>): void {
  for (const [id, body] of Object.entries(bodies)) wire.bodies.set(id, body)
}
