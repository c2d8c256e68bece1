/** What monitors are told while deletions are held: `status --max-age`, `GET /healthz` of the worker, `serve --max-age`. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startServe, startWorker, urlOf } from '../../../support/commands/process.ts'

/** The clocks of runs and holds show as if so much time had passed. */
async function timePasses(stage: CommandStage, interval: string): Promise<void> {
  await using database = await stage.place.open()
  await database.transaction(async (trx) => {
    await trx.query(`update headcount.sync_runs set started_at = started_at - $1::interval`, [interval])
    await trx.query(
      `update headcount.sync_state
          set held_deletions_since = held_deletions_since - $1::interval,
              held_deletions = (select jsonb_agg(part || jsonb_build_object('since', (part->>'since')::timestamptz - $1::interval))
                        from jsonb_array_elements(held_deletions) part)
        where held_deletions is not null`,
      [interval],
    )
  })
}

async function status(stage: CommandStage, ...flags: string[]) {
  const { code, stderr, stdout } = await stage.run(['status', '--max-age', ...flags])
  return { code, stderr, stdout }
}

test('S17 status --max-age: first quiet, then 8 when deletions are held for too long, and 6 when nothing was applied for too long', async () => {
  const account = accountOf({ gala: 20, picnic: 3 })
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  account.of('gala').length = 0
  expect((await s.run(['sync', '-q'])).code).toBe(8)
  expect(await status(s, '2h')).toMatchObject({ code: 0, stderr: '' })

  await timePasses(s, '61 min')
  const held = await status(s, '2h')
  expect(held.code).toBe(8)
  expect(held.stderr).toMatch(
    /^headcount: account default: deletions are held for too long: event gala \(20 deletions since [-\d]+ [\d:]+ UTC: the list came back empty\)\. See headcount status\n$/,
  )
  expect(held.stdout).toMatch(/held +20 deletions, 20 of them for too long/)
  expect(await status(s, '2h', '--hold-for', '2h')).toMatchObject({ code: 0 })

  // A run that holds again makes the mirror no younger.
  expect((await s.run(['sync', '-q', '--hold-for', '1d'])).code).toBe(8)
  const old = await status(s, '1h')
  expect(old.code).toBe(6)
  expect(old.stderr).toMatch(/the last good run of account default began 1 h 1 min ago, more than 1 h\n/)
  expect(old.stderr).toContain('deletions are held for too long: event gala')
})

test('S17 what time cannot confirm is told at once', async () => {
  const account = accountOf({ gala: 3, picnic: 3 })
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  account.events.length = 0
  expect((await s.run(['sync', '-q'])).code).toBe(8)
  const told = await status(s, '1h')
  expect(told.code).toBe(8)
  expect(told.stderr).toContain(
    'deletions wait for a decision, for time alone never applies them: the event list (2 deletions since ',
  )
  expect(told.stderr).not.toContain('too long')
  expect(told.stdout).toMatch(/held +2 deletions, 2 of them until somebody decides/)
})

test('a run in which only items were rejected is a good one, and says so', async () => {
  const account = accountOf({ gala: 3 })
  account.of('gala').push({ name: 'no id' })
  await using s = await commandStage('postgres', account)
  const ran = await s.run(['sync', '--json'])
  expect(ran.code).toBe(8)
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'held', held: 0, holds: [], rejected: 1 })
  expect((await s.run(['sync'])).stderr).toContain('sync of account default rejected in ')
  expect((await s.run(['runs'])).stdout.match(/sync +rejected/g)).toHaveLength(2)
  const { code, stdout } = await status(s, '1h')
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/last good run .*\(run 2, sync, rejected\)/) as string,
  })
})

test('S17 GET /healthz names the lists of which deletions are held for too long', async () => {
  const account = accountOf({ gala: 20, picnic: 3 })
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  account.of('gala').length = 0
  const env = { ...s.env, HEADCOUNT_HEALTH_PORT: '0' }
  await using worker = startWorker(['--schedule', '0 0 1 1 *', '--hold-for', '0s'], { env })
  await worker.says('health is answered at')
  await worker.says('sync held')
  // Its health is that of the run once this has ended, which is a moment later.
  await worker.says('the next run is at')
  const address = worker.log
    .find(({ msg }) => msg.startsWith('health is answered at'))
    ?.msg.split(' ')
    .at(-1)
  const answer = await fetch(String(address))
  expect({ status: answer.status, body: await answer.json() }).toMatchObject({
    status: 503,
    body: {
      healthy: false,
      held_too_long: [expect.stringMatching(/^event gala \(20 deletions since /)],
      reason: expect.stringContaining(
        'deletions are held for too long or wait for a decision, of event gala (20 deletions',
      ) as string,
    },
  })
  worker.kill('SIGTERM')
  await worker.ended
})

test('S17 serve --max-age refuses a list of which deletions are held for too long, and no other', async () => {
  const account = accountOf({ gala: 20, picnic: 3 })
  await using s = await commandStage('postgres', account)
  expect((await s.run(['sync', '-q'])).code).toBe(0)
  account.of('gala').length = 0
  expect((await s.run(['sync', '-q'])).code).toBe(8)
  const key = (JSON.parse((await s.run(['keys', 'create', '--json'])).stdout) as { key: string }).key
  await using server = startServe(['--max-age', '2h', '--hold-for', '1h'], { env: s.env })
  const url = await urlOf(server)
  const ask = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { 'X-API-Key': key } })
    const body = (await answer.json()) as { code?: string }
    return [answer.status, ...(answer.ok ? [] : [body.code])]
  }
  const [gala, picnic] = ['/events/gala/responses', '/events/picnic/responses']
  const all = async () => [await ask('/ping'), await ask('/events'), await ask(gala), await ask(picnic)]
  expect(await all()).toEqual([[200], [200], [200], [200]])
  await timePasses(s, '61 min')
  expect(await all()).toEqual([[200], [200], [503, 'held'], [200]])
  // The account is as young as its last run that read everything, whatever that run held.
  await timePasses(s, '2 h')
  expect(await all()).toEqual([
    [503, 'too_old'],
    [503, 'too_old'],
    [503, 'too_old'],
    [503, 'too_old'],
  ])
  expect((await s.run(['sync', '-q', '--hold-for', '1d'])).code).toBe(8)
  expect(await all()).toEqual([[200], [200], [503, 'held'], [200]])
  server.kill('SIGTERM')
  expect((await server.ended).code).toBe(0)
})
