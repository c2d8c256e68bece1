/** What every command prints fits the terminal, and what another command needs is never cut. */
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { headcountOnTerminal, scriptPath } from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { send } from '../../../support/http/fault-server.ts'

const longId = 'annual-general-meeting-of-the-neighbourhood-houses-2026'
const wide = '町内会の年次総会とその後の懇親会のご案内 👩‍👩‍👧 '.repeat(3)
const plain = { NO_COLOR: '1' }

const withoutScript = scriptPath === null
const columns = [80, 120] as const

/** Lines that are too wide. The progress bar is drawn over itself; lines of the log and calls that a person copies are whole. */
function tooWide(text: string, width: number): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => line.split('\u001b[2K').at(-1) ?? '')
  const isWhole = /\] (?:INFO|WARN|ERROR):|headcount\S* |^ *# |[\w/.-]{40}/
  return lines.filter((line) => stringWidth(line) > width && !isWhole.test(line))
}

describe('on a terminal of 80 and of 120 columns', () => {
  let s: CommandStage
  beforeAll(async () => {
    const account = accountOf({ [longId]: 12, gala: 30, picnic: 3 })
    account.of(longId).push({ id: 'x', name: wide }, { id: 'y', name: 'Eve' })
    s = await commandStage('postgres', account)
    await s.run(['sync', '-q'])
    await s.run(['keys', 'create', '--label', wide.slice(0, 180), '--expires', '90d'])
    const { stdout } = await s.run(['keys', 'create'])
    expect(stdout).not.toBe('')
    await s.run(['keys', 'revoke', '2'])
    await s.run(['rsvp-meanings', 'set', wide, 'maybe'])
    await s.run(['slot-targets', 'set', '--event', longId, '--slot', wide, '--wanted', '3'])
    await s.run(['accounts', 'set', 'default', '--time-zone', 'America/Argentina/ComodRivadavia'])
    // Deletions that are held, a list that fails, and a run that could not read anything.
    account.of('gala').splice(2)
    s.service.always(
      send((request) =>
        request.path.includes('picnic')
          ? { status: 500, body: `{"error":"${'boom '.repeat(40)}"}` }
          : account.answer(request),
      ),
    )
    await s.run(['sync', '--all', '-q'])
  })
  afterAll(() => s[Symbol.asyncDispose]())

  test.each(
    columns.flatMap((width) =>
      [
        ['status'],
        ['status', '--event', 'gala'],
        ['status', '--event', longId],
        ['runs'],
        ['rejects'],
        ['keys'],
        ['accounts'],
        ['events', '--all'],
        ['event', longId],
        ['who', 'a'],
        ['who-comes', longId],
        ['changes'],
        ['thin'],
        ['rsvp-meanings'],
        ['slot-targets'],
        ['observations'],
        ['tables'],
      ].map((args) => [width, args] as const),
    ),
  )('%i columns: %j fits', async (width, args) => {
    const { stdout } = await s.run(args, { columns: width })
    expect(stdout).not.toBe('')
    expect(tooWide(stdout, width)).toEqual([])
  })

  test
    .skipIf(withoutScript)
    .each(
      columns.flatMap((width) =>
        [
          ['runs'],
          ['query', 'table response_details'],
          ['sync', '--dry-run', '--all'],
          ['verify'],
          ['doctor'],
        ].map((args) => [width, args] as const),
      ),
    )(
    '%i columns: %j fits, with what is drawn meanwhile (needs script of util-linux)',
    async (width, args) => {
      const { stdout } = await s.onTerminal(args, { columns: width, env: plain })
      expect(stdout).not.toBe('')
      expect(tooWide(stdout, width)).toEqual([])
    },
  )

  test.each(columns)('what a later command needs is whole in %i columns', async (width) => {
    const rejects = (await s.run(['rejects'], { columns: width })).stdout
    const prefixes = Array.from(rejects.matchAll(/\b[0-9a-f]{12}\b/g), ([sum]) => sum)
    expect(new Set(prefixes).size).toBe(2)
    expect(rejects).toContain(longId)
    const accepted = await s.run(['rejects', 'accept', prefixes[0] ?? ''])
    expect(accepted.code).toBe(0)
    await s.run(['rejects', 'accept', '--revoke', prefixes[0] ?? ''])
    const runs = (await s.run(['runs'], { columns: width })).stdout
    expect(runs).toMatch(/^ +2 {2}sync/m)
    // Why the run was no success, below the table.
    expect(runs).toMatch(/^run 2 {2}1 event failed, 28 deletions held, 2 items rejected/m)
    expect((await s.run(['keys'], { columns: width })).stdout).toMatch(/revoked \d{4}-/)
  })

  test('times for people have no microseconds and name their zone', async () => {
    for (const args of [['status'], ['status', '--event', 'gala'], ['runs'], ['keys'], ['accounts']]) {
      const { stdout } = await s.run(args, { columns: 120 })
      expect(stdout, args.join(' ')).not.toMatch(/\d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT/)
    }
    expect((await s.run(['status'], { columns: 120 })).stdout).toMatch(
      /since\s+\d{4}-\d\d-\d\d \d\d:\d\d UTC/,
    )
  })
})

describe.skipIf(withoutScript)('help on a terminal (needs script of util-linux)', () => {
  test.each(columns)('is wrapped to %i columns', async (width) => {
    for (const args of [
      ['--help'],
      ['help', 'query'],
      ['help', 'sync'],
      ['help', 'serve'],
      ['keys', '--help'],
    ]) {
      const { stdout } = await headcountOnTerminal(args, { columns: width, env: plain })
      expect(tooWide(stdout, width), args.join(' ')).toEqual([])
    }
  })
})
