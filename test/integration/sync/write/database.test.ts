import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { accountOf, responseItem, responsesFrom } from '../../../support/accounts/account.ts'
import { headcount } from '../../../support/commands/command.ts'
import { testKey } from '../../../support/http/reading.ts'
import { freshPlace, onServer } from '../../../support/databases/databases.ts'
import { makeOwnFolder } from '../../../support/files/leftovers.ts'
import { startFailingProxy } from '../../../support/databases/database-proxy.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onBothStages, onPostgresStage, pause } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** A trigger before each row that is inserted into the responses. */
function trigger(body: string): string[] {
  return [
    `create function public.meddle() returns trigger language plpgsql as $$ begin ${body} end $$`,
    `create trigger meddle before insert on headcount.responses for each row execute function public.meddle()`,
  ]
}

const noTrigger = ['drop trigger meddle on headcount.responses', 'drop function public.meddle']

/** The live tables and history. */
function kept({ mirror }: Stage): unknown {
  return (['events', 'responses', 'payments', 'slots', 'event_history', 'response_history'] as const).map(
    (table) => mirror.rows(table),
  )
}

/** Every row fails with this SQLSTATE until so many tries have been made. */
function failing(tries: number, code: string): string[] {
  return [
    'create sequence public.tries',
    ...trigger(`if nextval('public.tries') <= ${tries} then raise sqlstate '${code}'; end if; return new;`),
  ]
}

async function expectTriedAgain(on: Stage, code: string): Promise<void> {
  await on.change(...failing(2, code))
  expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 5 } } } })
  on.expectMirrored()
}

onBothStages('another transaction in the way', (stage) => {
  test('D4 a deadlock: the batch is tried again', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await expectTriedAgain(on, '40P01')
  })
})

onPostgresStage('another transaction in the way, more', (stage) => {
  test('D4 a serialization failure: the batch is tried again', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await expectTriedAgain(on, '40001')
  })

  test('D4 at every try: exit 5, nothing of the batch is stored, and the next run goes on', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    await on.change(...failing(100, '40P01'))
    const before = kept(on)
    on.account.of('gala').splice(0, 1)
    on.account.of('gala').push(...responsesFrom(4, 1))
    expect(await on.sync()).toMatchObject({ exit: 5, status: 'failed', error: { code: 'conflict' } })
    expect(kept(on)).toEqual(before)
    await on.change(...noTrigger)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onBothStages('D17 affected rows differ from rows sent', (stage) => {
  test('one row is swallowed: rolled back, exit 5', async () => {
    await using on = await stage(accountOf({ gala: 1, picnic: 1 }))
    await on.sync()
    await on.change(...trigger('if new.id = 3 then return null; end if; return new;'))
    const before = kept(on)
    on.account.of('gala').push(...responsesFrom(2, 2))
    on.account.of('picnic').push(...responsesFrom(2, 1))
    const { exit, error } = await on.sync()
    expect(exit).toBe(5)
    expect(error?.message).toMatch(/responses, copy: 3 rows were sent, the database wrote 2\. .*rolled back/)
    expect(kept(on)).toEqual(before)
    await on.change(...noTrigger)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

/** A trigger that swallows the rows of one table without an error. */
function swallowing(table: string, when: string, condition = 'true'): string[] {
  return [
    'create function public.swallow() returns trigger language plpgsql as $$ begin return null; end $$',
    `create trigger swallow before ${when} on headcount.${table}
        for each row when (${condition}) execute function public.swallow()`,
  ]
}

const changes: Readonly<Record<string, (on: Stage) => void>> = {
  'a response changes': ({ account }) =>
    account.of('gala').splice(0, 1, responseItem(1, { name: 'Another' })),
  'payments come, change and go': ({ account }) => {
    account.of('gala').splice(0, 1, responseItem(1, { amount: '13.00' }))
    account.of('gala').splice(2, 1, responseItem(3, { amount: '7.00' }))
    account.of('gala').splice(3, 1, { id: 4, name: 'Guest 4' })
  },
  'slots come, change and go': ({ account }) => {
    const slots = (...names: string[]) => ({ slots: names.map((name) => ({ name })) })
    account.of('gala').splice(1, 1, responseItem(2, slots('Setup', 'Door')))
    account.of('gala').splice(2, 1, responseItem(3, slots('Door')))
    account.of('gala').splice(4, 1, responseItem(5, slots()))
  },
  'an item is no object': ({ account }) => account.of('gala').push(7),
  'the record of the event changes': ({ account }) => {
    account.events = [{ id: 'gala', title: 'Another' }, account.events[1]]
  },
  'responses go': ({ account }) => account.of('gala').splice(3, 2),
  'the event goes': ({ account }) => account.remove('gala'),
}

onPostgresStage('D17 a row is swallowed by a trigger', (stage) => {
  test.each([
    ['payments', 'insert', 'payments come, change and go'],
    ['payments', 'update', 'payments come, change and go'],
    ['payments', 'delete', 'payments come, change and go'],
    ['slots', 'insert', 'slots come, change and go'],
    ['slots', 'update', 'slots come, change and go'],
    ['slots', 'delete', 'slots come, change and go'],
    ['response_history', 'insert', 'a response changes'],
    ['event_history', 'insert', 'the record of the event changes'],
    ['event_history', 'insert', 'the event goes'],
    ['events', 'delete', 'the event goes'],
    ['payments', 'delete', 'responses go'],
    ['slots', 'delete', 'responses go'],
    ['rejects', 'insert', 'an item is no object'],
    ['sync_state', 'insert', 'a response changes'],
    ['sync_state', 'update', 'a response changes'],
  ])('%s, %s: when %s, the batch is rolled back, exit 5', async (table, when, change) => {
    await using on = await stage(accountOf({ gala: 5, picnic: 1 }))
    await on.sync()
    const isState = table === 'sync_state'
    await on.change(...swallowing(table, when, isState ? `new.event_id = 'gala'` : 'true'))
    const before = kept(on)
    changes[change]?.(on)
    const { exit, error } = await on.sync()
    expect(exit).toBe(5)
    expect(error?.message).toMatch(
      new RegExp(`^headcount.${table}.*: \\d+ rows were sent, the database wrote 0\\. .*rolled back`),
    )
    expect(kept(on)).toEqual(before)
    await on.change(`drop trigger swallow on headcount.${table}`)
    expect(await on.sync()).toMatchObject({ exit: change === 'an item is no object' ? 8 : 0 })
  })
})

onBothStages('D2 a run that ends between the removal of an event and its own end', (stage) => {
  test('S14 the event comes back with an equal list: its responses are back', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    const [events, gala] = [on.account.events, on.account.of('gala')]
    on.account.remove('gala')
    await on.change(
      `create function public.stop() returns trigger language plpgsql as $$ begin raise 'stopped here'; end $$`,
      `create trigger stop before insert or update on headcount.sync_state
          for each row when (new.event_id = '' and new.digest is not null) execute function public.stop()`,
    )
    expect(await on.sync()).toMatchObject({ exit: 5, report: { rows: { events: { deleted: 1 } } } })
    on.account.events = events
    on.account.responses.set('gala', gala)
    await on.change('drop trigger stop on headcount.sync_state')
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})

onPostgresStage('a Postgres that breaks off', (stage) => {
  test('what is known cannot be read while the service is asked: exit 5, and nothing is left in the air', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    await on.change('alter table headcount.sync_state rename column etag to gone')
    on.service.at('/ping', async (socket, request) => {
      await setTimeout(50)
      await send((asked) => on.account.answer(asked))(socket, request)
    })
    expect(await on.run('sync')).toMatchObject({ exit: 5, error: { code: 'database' } })
    await on.change('alter table headcount.sync_state rename column gone to etag')
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('D2 the connection is terminated during a batch: exit 5, nothing half written, the run is closed', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    await on.change(...trigger('perform pg_sleep(20); return new;'))
    const before = kept(on)
    on.account.of('gala').push(...responsesFrom(4, 3))
    on.account.of('picnic').pop()
    const run = on.run('sync')
    await terminate(on, `wait_event = 'PgSleep'`)
    expect(await run).toMatchObject({ exit: 5, status: 'failed' })
    await on.look()
    expect(kept(on)).toEqual(before)
    await on.change(...noTrigger)
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })

  test('a view that somebody dropped: the error leads to doctor, which names it', async () => {
    await using on = await stage(accountOf({}), { isOwn: true })
    await on.sync()
    await on.change('drop view headcount.event_summary cascade')
    const env = { HEADCOUNT_API_KEY: testKey, HEADCOUNT_BASE_URL: on.service.baseUrl.href }
    const run = (command: string) => headcount([command, '--database', on.url], { env })
    expect(await run('events')).toMatchObject({ code: 5, stderr: expect.stringContaining('doctor') })
    expect(await run('doctor')).toMatchObject({
      code: 5,
      stdout: expect.stringMatching(/failed +schema .*event_summary.*backup/),
    })
  })

  test.each([
    [
      'a column of the bookkeeping',
      'alter table headcount.sync_state drop column etag cascade',
      'sync_state.etag',
      /^/,
    ],
    [
      'the list of erased people',
      'drop table headcount.suppressions cascade',
      'suppressions',
      /lacks suppressions/,
    ],
  ])(
    '%s that somebody dropped: a sync leads to doctor, which names it, and its remedy mends it',
    async (_, statement, name, warning) => {
      await using on = await stage(accountOf({ gala: 3 }), { isOwn: true })
      await on.sync()
      await on.change(statement)
      const env = { HEADCOUNT_API_KEY: testKey, HEADCOUNT_BASE_URL: on.service.baseUrl.href }
      const run = (...command: readonly string[]) => headcount(command, { env })
      expect(await run('sync', '--database', on.url)).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('doctor'),
      })
      expect(await run('doctor', '--database', on.url)).toMatchObject({
        code: 5,
        stdout: expect.stringMatching(
          new RegExp(
            `failed +schema .*dropped .*${name}.*: make a .*backup${name === 'suppressions' ? '.*--suppressions' : ''}`,
          ),
        ),
      })
      const folder = await makeOwnFolder(tmpdir(), 'test-dropped')
      const file = join(folder, 'mirror.tar.gz')
      const backup = await run('backup', file, '--database', on.url)
      expect(backup).toMatchObject({ code: 0, stderr: expect.stringMatching(warning) })
      await using other = await freshPlace('postgres', { blank: true })
      expect(await run('restore', file, '--database', other.url)).toMatchObject({ code: 0 })
      expect(await run('sync', '--quiet', '--database', other.url)).toMatchObject({ code: 0, stderr: '' })
      expect(await run('doctor', '--database', other.url)).toMatchObject({ code: 0 })
      await rm(folder, { recursive: true })
    },
  )

  test.each([
    ['a table', 'create table headcount.events (id int)', true],
    ['a table in the place of a view', 'create table headcount.event_summary (id int)', true],
    ['a view', 'create view headcount.event_summary as select 1 as n', true],
    ['a table of another name', 'create table headcount.mine (id int)', false],
  ])(
    '%s of somebody in the schema of the mirror: a sync and doctor say what to do',
    async (_, statement, isTaken) => {
      await using place = await freshPlace('postgres', { blank: true })
      await using database = await place.open()
      await database.transaction(async (trx) => {
        await trx.query('create schema headcount')
        await trx.query(statement)
      })
      const remedy = /which headcount did not make: move that to another schema/
      const examined = await headcount(['doctor', '--database', place.url])
      if (isTaken) expect(examined.stdout).toMatch(remedy)
      else expect(examined.stdout).not.toMatch(remedy)
      const ran = await headcount(['migrate', '--database', place.url])
      expect(ran.code).toBe(isTaken ? 5 : 0)
      if (isTaken) expect(ran.stderr).toMatch(/that headcount did not make: move it to another schema/)
    },
  )

  test('a trigger that finds no table: the error and doctor name its function, and the remedy mends it', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    await on.change(
      'create table public.audit (id bigint)',
      ...trigger('insert into audit values (new.id); return new;'),
    )
    on.account.of('gala').push(...responsesFrom(4, 1))
    const remedy = 'alter function public.meddle() set search_path = public, pg_temp'
    const { exit, error } = await on.run('sync')
    expect(exit).toBe(5)
    expect(error?.message).toContain('"audit" does not exist, in the function public.meddle()')
    expect(error?.message).toContain(remedy)
    const doctor = async () => {
      const env = { HEADCOUNT_API_KEY: testKey, HEADCOUNT_BASE_URL: on.service.baseUrl.href }
      return (await headcount(['doctor', '--database', on.url], { env })).stdout
    }
    const examined = await doctor()
    expect(examined).toContain('meddle on headcount.responses')
    expect(examined).toContain(`${remedy};`)
    await on.change(remedy)
    expect(await doctor()).not.toContain('meddle')
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
    await on.change(...noTrigger, 'drop table public.audit')
  })

  test('D2 every connection is terminated while the service is read: the run goes on with new ones', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await on.sync()
    on.account.of('gala').pop()
    const paused = pause(on, '/events/gala/responses')
    const run = on.run('sync')
    await paused.reached
    await terminate(on, 'true')
    paused.release()
    expect(await run).toMatchObject({ exit: 0 })
    await on.look()
    on.expectMirrored()
  })

  test('D3 the connection is lost at COMMIT, outcome unknown: exit 5, and the next run converges', async () => {
    await using on = await stage(accountOf({ gala: 3, picnic: 2 }))
    await using proxy = await startFailingProxy(on.url, 'copy headcount.responses')
    expect(await on.run('sync', { database: proxy.url })).toMatchObject({ exit: 5 })
    await on.look()
    // It was committed: only the answer is missing.
    expect(proxy.cut).toBe(1)
    expect(on.mirror.rows('responses')).toHaveLength(5)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 0 } } } })
    on.expectMirrored()
  })
})

/** Ends the connections to the mirror of which this is true, as soon as there is one, and waits until they are gone. */
async function terminate({ url }: Stage, condition: string): Promise<void> {
  const name = url.split('/').at(-1)
  await onServer(`
    do $$ begin
      for attempt in 1..3000 loop
        perform pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and ${condition};
        exit when found;
        perform pg_sleep(0.02);
        perform pg_stat_clear_snapshot();
      end loop;
    end $$`)
}
