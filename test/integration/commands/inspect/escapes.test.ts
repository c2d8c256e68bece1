/** X5 What the service sends is shown, never obeyed: no byte of it commands a terminal, whatever prints it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { scriptPath } from '../../../support/commands/command.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import type { CommandStage } from '../../../support/commands/command-stage.ts'
import { send } from '../../../support/http/fault-server.ts'

/** A window title, a cleared screen, a colour, a bell, a line taken back, C1, text turned around. */
const evil = '\u001b]0;owned\u0007\u001b[2J\u001b[31mEVIL\u009b1m\u009d8;;x\u009c\b\r\u202egnp\u2066'
/** Everything that a terminal obeys but line ends and tabs. */
const commanding = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]/
/** Colours, and what draws the bar: the cursor kept and put back, a line cleared. */
const ours = /\u001b(?:\[(?:1|2|22|3[1236]|39|90)m|[78]|\[\d*[GK])/g

function evilAccount() {
  const account = accountOf({ ball: 20 })
  account.email = `owner${evil}@example.org`
  account.add(`gala ${evil}`, 0, { title: evil, location: evil, [`field ${evil}`]: evil, event_at: evil })
  account
    .of(`gala ${evil}`)
    .push(
      { id: 1, name: evil, email: evil, message: evil, amount: evil, slots: [{ name: evil }] },
      { id: evil, name: `rejected ${evil}` },
      { id: 2, name: 'early', [evil]: evil },
      { id: 2, name: 'late' },
    )
  account.add(`failing ${evil}`, 1)
  return account
}

describe('X5 what the service sends, printed by', () => {
  let stage: CommandStage
  let failing: string
  beforeAll(async () => {
    const account = evilAccount()
    stage = await commandStage('postgres', account)
    expect((await stage.run(['sync', '-q'])).code).toBe(8)
    account.of('ball').splice(0)
    failing = `/events/${encodeURIComponent(`failing ${evil}`)}/responses`
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const fail = () => stage.service.at(failing, send({ status: 400, body: { error: evil } }))
  const names =
    'select e.id, e.title, r.name, r.message, r._extra from events e join responses r on r.event_id = e.id'

  test.each<[string, string[], Readonly<Record<string, string>>]>([
    ['sync', ['sync'], { HEADCOUNT_LOG_LEVEL: 'debug', HEADCOUNT_LOG_FORMAT: 'pretty' }],
    ['sync --json with a log in json', ['sync', '--json'], { HEADCOUNT_LOG_FORMAT: 'json' }],
    ['backfill', ['backfill', '--quiet'], {}],
    ['status', ['status'], {}],
    ['status --json', ['status', '--json'], {}],
    ['rejects', ['rejects'], {}],
    ['rejects --json', ['rejects', '--json'], {}],
    ['runs', ['runs'], {}],
    ['runs --json', ['runs', '--json'], {}],
    ['doctor', ['doctor'], {}],
    ['query as a table', ['query', names, '--format', 'table'], {}],
    ['query as json', ['query', names, '--json'], {}],
    ['query as ndjson', ['query', `select title as "${evil}" from events`, '--format', 'ndjson'], {}],
    ['a statement that is wrong', ['query', `select ${evil}`], {}],
    ['an event that is not listed', ['sync', '--event', evil], {}],
  ])('%s', async (_, args, env) => {
    fail()
    const { stdout, stderr } = await stage.run(args, { env })
    expect((stdout + stderr).length).toBeGreaterThan(0)
    expect(stdout).not.toMatch(commanding)
    expect(stderr).not.toMatch(commanding)
  })

  test('what was sent is exact in json and in a csv that goes into a file', async () => {
    const statement = `select name from responses where id = 1 and event_id like 'gala%'`
    const json = await stage.run(['query', statement, '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ rows: [{ name: evil }] })
    const csv = await stage.run(['query', statement, '--format', 'csv'])
    expect(csv.stdout).toContain(evil)
  })

  describe.skipIf(scriptPath === null)(
    'on a terminal (skipped where script of util-linux is missing)',
    () => {
      test.each<[string, string[]]>([
        ['sync with its bar', ['sync']],
        ['sync --json', ['sync', '--json']],
        ['status', ['status']],
        ['rejects', ['rejects']],
        ['query', ['query', names]],
        ['query as csv', ['query', names, '--format', 'csv']],
      ])('%s', async (_, args) => {
        fail()
        const { stdout } = await stage.onTerminal(args)
        expect(stdout).toMatch(/EVIL|gnp|\bgala\b/)
        // Colours, the bar and the ends of lines are ours.
        const shown = stdout.replace(ours, '')
        expect(shown.replaceAll('\r\n', '\n')).not.toMatch(commanding)
        expect(stdout).not.toContain('\u001b[31mEVIL')
      })
    },
  )
})
