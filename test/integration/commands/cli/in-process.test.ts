/** Most tests run commands within their own process: what is said there is what users are told by a process. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import {
  headcount,
  headcountOnTerminal,
  headcountProcess,
  scriptPath,
  withoutAges,
  type Ran,
} from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'

const commands: readonly (readonly string[])[] = [
  [],
  ['--version'],
  ['help', 'sync'],
  ['snyc'],
  ['sync', '--event'],
  ['sync', '--max-body', 'much'],
  ['sync', '--event', 'gala', '--dry-run', '--quiet'],
  ['status'],
  ['status', '--json', '--max-age', '9h'],
  ['doctor'],
  ['tables', 'evnts'],
  ['query', 'select id, title from events order by id', '--json'],
  ['query', 'selec 1'],
  ['rejects', '--json'],
  ['events', '--all'],
  ['event', 'gla'],
  ['who', 'guest'],
  ['keys'],
  ['keys', 'revoke', '99'],
  ['readers', 'list'],
  ['rsvp-meanings', 'set', 'yse', 'coming'],
  ['digest', '--since', '0', '--event', 'gala', '--json'],
  ['verify', '--quiet'],
  ['migrate', '--check'],
]

/** But for moments, when something was and how long it took, and for the disk that other tests fill. */
function timeless(ran: Ran): Ran {
  const { code, stdout, stderr } = withoutAges(ran)
  const lasting = (output: string) =>
    output
      .replaceAll(/\d[\d.]* m?s\)$/gm, 'some time)')
      .replaceAll(/\d[\d.]* [kMGT]?B free/g, 'some space free')
  return { code, stdout: lasting(stdout), stderr: lasting(stderr) }
}

describe('a command within the process of the tests', () => {
  let s: CommandStage
  beforeAll(async () => {
    const account = accountOf({ gala: 3, picnic: 2 })
    account.of('gala').push({ id: 'no number' })
    s = await commandStage('postgres', account)
    await s.run(['sync', '--quiet'])
  })
  afterAll(() => s[Symbol.asyncDispose]())

  test.each(commands.map((args) => ({ args, shown: `headcount ${args.join(' ')}` })))(
    '$shown ends and writes as a process of its own does',
    async ({ args }) => {
      const options = { env: s.env }
      const within = await headcount(args, options)
      const alone = await headcountProcess(args, options)
      expect(timeless(within)).toEqual(timeless(alone))
    },
  )

  test.runIf(scriptPath !== null).each(
    [['tables'], ['tables', 'responses'], ['events', '--all'], ['runs']].map((args) => ({
      args,
      shown: `headcount ${args.join(' ')}`,
    })),
  )('$shown is laid out as on a terminal (needs script of util-linux)', async ({ args }) => {
    const within = await headcount(args, { env: s.env, columns: 80 })
    const alone = await headcountOnTerminal(args, { env: { ...s.env, NO_COLOR: '1' }, columns: 80 })
    expect(within.stderr).toBe('')
    expect(timeless(within).stdout).toBe(timeless(alone).stdout.replaceAll('\r\n', '\n'))
  })

  test('knows its own environment alone', async () => {
    const outside = process.env['DATABASE_URL']
    const told = ['127.0.0.1:1/one', '127.0.0.1:2/two'].map(async (address) => {
      const { stderr } = await headcount(['status'], {
        env: { DATABASE_URL: `postgres://owner:secret@${address}` },
      })
      return stderr.includes(address)
    })
    expect(await Promise.all(told)).toEqual([true, true])
    expect(process.env['DATABASE_URL']).toBe(outside)
  })
})
