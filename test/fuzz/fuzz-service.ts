/** `npm run fuzz-service`: schemathesis asks a served mirror whatever the service's document allows, and does not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { installPackages } from '../support/commands/python-packages.ts'
import { openServedMirror } from './served-mirror.ts'

const help = `npm run fuzz-service [-- options of "schemathesis run"]

  Mirrors the sample account into a Postgres of its own, serves it on this machine, and lets schemathesis (a Python
  package, installed into node_modules/.cache/schemathesis) draw requests from /api/v1/openapi.json. Every answer must
  be what the document says. Ends with 0 when all are.

  npm run fuzz-service -- --max-examples 1000 --seed 7
`

const LONGEST_MS = 15 * 60_000
const root = join(import.meta.dirname, '../..')
const requirements = join(import.meta.dirname, 'requirements.txt')
const settings = join(import.meta.dirname, 'schemathesis.toml')

const wanted = process.argv.slice(2)
const say = (line: string): void => void process.stderr.write(`${line}\n`)

if (wanted.includes('--help')) say(help)
else process.exitCode = await fuzz().catch(giveUp)

/** What is missing on this machine is a line, not a stack. */
function giveUp(error: unknown): number {
  const lines = error instanceof Error ? [error, error.cause] : [error]
  for (const line of lines) if (line instanceof Error) say(line.message)
  return 2
}

async function fuzz(): Promise<number> {
  const folder = join(root, 'node_modules/.cache/schemathesis')
  const python = await installPackages(requirements, folder)
  const failures: unknown[] = []
  await using mirror = await openServedMirror((error) => failures.push(error))
  const code = await runSchemathesis(join(dirname(python), 'schemathesis'), mirror.url, mirror.key)
  for (const failure of failures) say(`The service failed inside: ${String(failure)}`)
  return failures.length > 0 ? code || 1 : code
}

/** In a folder of its own, for it leaves caches where it runs. */
async function runSchemathesis(program: string, url: string, key: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-fuzz-'))
  const options = ['--checks', 'all', '--continue-on-failure', '--generation-database', 'none']
  const bounds = ['--max-examples', '200', '--request-timeout', '10']
  const given = ['--header', `X-API-Key: ${key}`, ...options, ...bounds, ...wanted]
  const args = ['--config-file', settings, 'run', `${url}/openapi.json`, ...given]
  try {
    const child = spawn(program, args, { cwd: folder, stdio: 'inherit', timeout: LONGEST_MS })
    const [code]: unknown[] = await once(child, 'exit')
    return typeof code === 'number' ? code : 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
