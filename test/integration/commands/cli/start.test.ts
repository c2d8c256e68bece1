/** What a command loads before it works: each file of it is waited for at every start. */
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { version } from '../../../../src/common/version.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { inShell, run, type Ran, type RunOptions } from '../../../support/commands/command.ts'
import { commandStage } from '../../../support/commands/command-stage.ts'
import { startProcess } from '../../../support/commands/process.ts'

/** Runs `headcount …` and tells which packages, and which files of ours, it loaded. */
async function loadedBy(args: readonly string[], options?: RunOptions): Promise<Ran & { loaded: string[] }> {
  const ran = await run(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { registerHooks } from 'node:module'
       const loaded = new Set()
       const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)|\\/(src\\/.+)$/
       registerHooks({ load: (url, context, next) => {
         const [, ofPackage, ofOurs] = name.exec(url) ?? []
         loaded.add(ofPackage ?? ofOurs ?? url)
         return next(url, context)
       } })
       process.on('exit', () => console.error(JSON.stringify([...loaded])))
       process.argv.push('cli', ...${JSON.stringify(args)})
       await import(${JSON.stringify(new URL('../../../../src/cli.ts', import.meta.url).href)})`,
    ],
    options,
  )
  return { ...ran, loaded: JSON.parse(ran.stderr) as string[] }
}

test('what the Node of a checkout runs ends when the process that started it is killed', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  const root = join(import.meta.dirname, '../../../..')
  const start = `require('./build/checkout.cjs').startWithItsNode('src/headcount.cjs')`
  const args = ['worker', '--schedule', '0 0 1 1 *', '--health-port', '0']
  await using launcher = startProcess(process.execPath, ['-e', start, '--', 'headcount', ...args], {
    env: s.env,
    cwd: root,
  })
  await launcher.says('the next run is at')
  launcher.kill('SIGKILL')
  // Its output ends with the last process that writes it.
  expect((await launcher.ended).stderr).toContain('the worker was stopped')
})

test('the version is printed without a driver, a client, a logger or a command', async () => {
  const { code, stdout, loaded } = await loadedBy(['--version'])
  expect({ code, stdout }).toEqual({ code: 0, stdout: `${version()}\n` })
  const packages = loaded.filter((name) => !/^(src\/|node:)/.test(name))
  expect(packages.toSorted()).toEqual(['commander', 'fastest-levenshtein'])
  expect(loaded).not.toContain('src/commands/sync/sync.ts')
})

test('a quiet sync on Postgres loads what it works with, and nothing for other engines, terminals and schedules', async () => {
  await using s = await commandStage('postgres', accountOf({ gala: 3 }))
  const { code, loaded } = await loadedBy(['sync', '--quiet'], { env: s.env })
  expect(code).toBe(0)
  expect(loaded).toEqual(expect.arrayContaining(['pg', 'undici', 'pino', 'src/sync/run.ts']))
  for (const name of [
    '@electric-sql/pglite',
    'pg-boss',
    'hono',
    'node-cron',
    'cli-progress',
    'pino-pretty',
  ]) {
    expect(loaded).not.toContain(name)
  }
  // A table measures characters, which takes the rules of Unicode: as long as all the rest of the command line.
  for (const name of [
    'string-width',
    'src/commands/output/run-report.ts',
    'src/commands/output/format/table.ts',
  ]) {
    expect(loaded).not.toContain(name)
  }
})

// Where it cannot be removed while somebody is in it, nobody loses it.
test.skipIf(process.platform === 'win32')(
  'from a folder that was removed it asks a Postgres as ever, and says why it finds no relative path',
  async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 3 }))
    await s.run(['sync', '--quiet'])
    const gone = await mkdtemp(join(tmpdir(), 'headcount-test-gone-'))
    const there = (line: string) => inShell(`rmdir '${gone}' && ${line}`, { cwd: gone, env: s.env })
    const status = await there('$HEADCOUNT status')
    expect(status).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('account default') })
    await mkdir(gone)
    expect(await there('$HEADCOUNT status --database pglite:./mirror')).toMatchObject({
      code: 2,
      stderr: 'headcount: The folder in which this was called is gone: change to another one (cd).\n',
    })
  },
)
