/** The command line before any work: help, versions, and calls that cannot be read. */
import { readFile } from 'node:fs/promises'
import { describe, expect, inject, test } from 'vitest'
import {
  headcount,
  headcountOnTerminal,
  headcountProcess,
  run,
  scriptPath,
  type RunOptions,
} from '../../../support/commands/command.ts'

const commands = ['sync', 'backfill', 'query', 'status', 'runs', 'rejects', 'keys', 'doctor', 'migrate']
const calls = [
  ...commands,
  'rejects accept',
  'keys create',
  'prune',
  'rsvp-meanings set',
  'slot-targets',
  'accounts set',
]

/** Within this process, for nothing of it is in what is printed; where a database is named, no folder is looked at. */
const called = (args: readonly string[], env: RunOptions['env'] = {}) =>
  headcount(args, { env: { DATABASE_URL: 'pglite:/nowhere/at-all', ...env } })

test('without a word, and with --help, it prints one page on stdout: commands, settings, examples, exit codes', async () => {
  const [bare, long, short, help] = await Promise.all(
    [[], ['--help'], ['-h'], ['help']].map((args) => headcountProcess(args)),
  )
  expect(bare).toMatchObject({ code: 0, stderr: '' })
  for (const other of [long, short, help]) expect(other).toEqual(bare)
  for (const word of [...commands, 'Examples:', 'Exit codes:', 'HEADCOUNT_API_KEY']) {
    expect(bare?.stdout).toContain(word)
  }
})

test.each(calls)('help %s is what its --help prints, with examples', async (command) => {
  const words = command.split(' ')
  const [one, other] = await Promise.all([called(['help', ...words]), called([...words, '--help'])])
  expect(one).toEqual(other)
  expect(one).toMatchObject({ code: 0, stderr: '' })
  expect(one.stdout).toContain(`Usage: headcount ${command} `)
  expect(one.stdout).toContain('Examples:')
})

describe('O7 a call that cannot be read is exit 2, with the nearest word', () => {
  test.each([
    [['snyc'], 'there is no command snyc (did you mean sync?)'],
    [['help', 'statsu'], 'there is no command statsu (did you mean status?)'],
    [['xyzzy'], 'there is no command xyzzy; see headcount --help'],
    [['serv'], 'there is no command serv'],
    [['serve', '--port', '99999'], '--port must'],
    [['serve', '--host', 'no host'], '--host must be a host name'],
    [['sync', '--jsn'], 'sync has no flag --jsn (did you mean --json?)'],
    [['--quite'], 'headcount has no flag --quite'],
    [['--quiet', 'sync'], 'the flag --quiet stands behind the name of the command: headcount sync --quiet'],
    [['-q', 'sync', '--json'], 'the flag -q stands behind the name of the command: headcount sync -q'],
    [['--json', 'rejects', 'accept', 'cafe0123'], 'the flag --json stands behind the name'],
    [['--jsn=1', 'status'], 'headcount has no flag --jsn; see headcount --help'],
    [['--jsn', 'sync', '--event'], 'sync: --event <id...> needs a value'],
    [['--jsn', 'query', 'select 1', '--format', 'xml'], '--format must be one of table, json, ndjson, csv'],
    [['--quiet', '--database', 'rejects', 'accept'], 'headcount: --database <url> needs a value'],
    [['--version=1'], 'the flag --version takes no value'],
    [['sync', 'now'], 'sync takes flags only'],
    [['rejects', 'acept'], 'rejects takes flags, or one of its commands: accept'],
    [['help', 'rejects', 'acept'], 'rejects has no command acept (did you mean accept?)'],
    [['rejects', 'accept'], 'rejects accept needs <sha256>'],
    [['rejects', 'accept', '--jsn', 'cafe0123'], 'rejects accept has no flag --jsn (did you mean --json?)'],
    [['rejects', 'accept', 'cafe012'], 'rejects accept: "cafe012" is no SHA-256 of an item'],
    [['keys', 'crate'], 'keys takes flags, or one of its commands: create, list, revoke'],
    [['keys', 'revoke', '1', '2'], 'keys revoke takes one id: put it into quotes if it has spaces'],
    [['keys', 'revoke'], 'keys revoke needs <id>'],
    [['query'], 'query needs <sql>'],
    [['query', 'select', '1'], 'query takes one sql: put it into quotes'],
    [['query', 'select 1', '--format', 'xml'], '--format must be one of table, json, ndjson, csv, not "xml"'],
    [['query', 'select 1', '--format', 'jsn'], 'csv, not "jsn" (did you mean json?)'],
    [['query', 'select 1', '--timeout', '3'], '--timeout must be a duration like'],
    [['status', '--max-age', 'old'], '--max-age must be a duration like'],
    [['runs', '--limit', '0'], '--limit must be a whole number from 1 to 100000'],
    [['query', ''], 'the statement is empty'],
    [['query', 'select 1', '--json', '--format', 'csv'], '--json and --format csv contradict each other'],
    [['backfill', '--dry-run'], 'backfill has no flag --dry-run'],
    [['sync', '--json=yes'], 'the flag --json takes no value; see headcount sync --help'],
    [['ls'], 'there is no command ls; see headcount --help'],
    [['prune'], 'prune needs --history-before <time>'],
    [['status', '--max-age'], 'status: --max-age <time> needs a value'],
    [['accounts', '--yes', 'list'], 'accounts has no flag --yes'],
    [['rejects', '--limit', '3', 'accept', 'cafe0123'], 'rejects accept has no flag --limit'],
    [
      ['rsvp-meanings', 'set', 'yes!', 'not-coming'],
      'A reply means coming, maybe or not_coming, not "not-coming" (did you mean not_coming?)',
    ],
    [['rsvp-meanings', 'set', 'yes!'], 'rsvp-meanings set needs <meaning>'],
    [['slot-targets', 'set', '--slot', 'Door'], 'slot-targets set needs --wanted <n>'],
    [
      ['slot-targets', 'set', '--wanted', '0'],
      '--wanted must be a whole number from 1 to 2147483647, not "0"',
    ],
    [
      ['slot-targets', 'set', '--wanted', '2147483648'],
      '--wanted must be a whole number from 1 to 2147483647',
    ],
    [['accounts', 'set', 'default'], 'accounts set needs --time-zone <zone>'],
    [['sync', '--all', '--event', 'gala'], 'sync: --all and --event <id...> exclude each other'],
    [
      ['verify', '--sample', '2', '--event', 'gala'],
      'verify: --sample <n> and --event <id...> exclude each other',
    ],
  ])('%j', async (args, message) => {
    const ran = await called(args)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^headcount: /)
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).not.toMatch(/ at .*\(/)
  })

  test('every unknown flag and every fault of the environment is named at once', async () => {
    const env = { HEADCOUNT_CONCURENCY: '3', HEADCOUNT_API_KEY: '' }
    const ran = await called(['sync', '--jsn', '--al', '--account', 'x'], env)
    expect(ran.code).toBe(2)
    expect(ran.stderr.trimEnd().split('\n')).toEqual([
      'headcount: 4 settings cannot be used:',
      expect.stringContaining('--jsn (did you mean --json?)'),
      expect.stringContaining('--al (did you mean --all?)'),
      expect.stringContaining(
        'HEADCOUNT_CONCURENCY is no setting of headcount (did you mean HEADCOUNT_CONCURRENCY?)',
      ),
      expect.stringContaining('HEADCOUNT_API_KEY is empty'),
    ])
  })

  test('two names of an account are told, also beside an unknown flag; the same one twice is one', async () => {
    const two = await called(['sync', '--account', 'a', '--account', 'b'])
    expect(two).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--account is given with two different names'),
    })
    const beside = await called(['sync', '--account', 'a', '--jsn'])
    expect(beside).toMatchObject({ code: 2, stderr: expect.stringContaining('(did you mean --json?)') })
    const same = await called(['status', '--account=a', '--account', 'a'])
    expect(same.stderr).not.toContain('different names')
  })

  test('X1 a key that was pasted into the wrong place is not repeated', async () => {
    const ran = await Promise.all([
      headcountProcess(['sync', '--api-key=canary-key']),
      called(['sync', 'canary-key']),
      called(['sync'], { HEADCOUNT_API_KEY: 'canary-key\n', HEADCOUNT_BASE_URL: 'https://canary-key@x' }),
      called(['status', '--database', 'canary-key']),
      called(['keys', 'revoke', 'hc_canary-key']),
    ])
    for (const { code, stdout, stderr } of ran) {
      expect(code).toBe(2)
      expect(stdout + stderr).not.toContain('canary')
    }
  })
})

test('X5 what a user typed is printed clean', async () => {
  const ran = await called(['\u001b[2Jsync\u0007'])
  expect(ran.code).toBe(2)
  expect(ran.stderr).not.toMatch(/[\u001b\u0007]/)
})

describe.skipIf(scriptPath === null)('on a terminal (skipped where script of util-linux is missing)', () => {
  test('help has colour, and none with NO_COLOR', async () => {
    expect((await headcountOnTerminal(['--help'])).stdout).toContain('\u001b[1m')
    expect((await headcountOnTerminal(['--help'], { env: { NO_COLOR: '1' } })).stdout).not.toContain('\u001b')
    const both = await headcountOnTerminal(['--help'], { env: { NO_COLOR: '1', FORCE_COLOR: '1' } })
    expect(both.stdout).not.toContain('\u001b')
  })
})

test('in a pipe there is no colour', async () => {
  expect((await headcountProcess(['--help'])).stdout).not.toContain('\u001b')
})

describe('the file that the package installs as a command', () => {
  const launcher = inject('command')

  test('tells an old Node in one line what it needs, before it loads anything', async () => {
    const ran = await run(process.execPath, [
      '--eval',
      `Object.defineProperty(process.versions, 'node', { value: '16.20.0' }); require(${JSON.stringify(launcher)})`,
    ])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^headcount needs Node 24 or newer; .*\n$/)
  })

  test('O11 the sources say so too, where an old Node can read them at all', async () => {
    const sources = new URL('../../../../src/cli.ts', import.meta.url).href
    const ran = await run(process.execPath, [
      '--input-type=module',
      '--eval',
      `Object.defineProperty(process.versions, 'node', { value: '22.20.0' }); await import(${JSON.stringify(sources)})`,
    ])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^headcount needs Node 24 or newer; .*\n$/)
  })

  test('is written as any Node can read it', async () => {
    const code = (await readFile(launcher, 'utf8')).replace(/^(#!|\/\/).*$/gm, '')
    expect(code).not.toMatch(/\b(const|let|import|class|async)\b|=>|`|\?\.|\?\?/)
  })
})
