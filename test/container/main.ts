/**
 * `npm run test:container`: docker-compose.yml as its first lines say, with a container engine and the sample service in one more
 * container. Some minutes: it builds the image. `COMPOSE` names another command than `docker compose`.
 */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran } from '../support/commands/command.ts'
import { inShell, projectFolder } from '../support/commands/npm.ts'

const help = `npm run test:container

  Builds the image, starts docker-compose.yml as its first lines say beside the sample service, and looks at what only a container
  engine shows. Needs Docker or Podman, and Docker Compose 2.24 or newer; COMPOSE names another command than "docker compose".
`
const API_KEY = 'key-of-the-sample-account'

/** Beside docker-compose.yml: the sample service, runs each minute, another name of the image, and any free port. */
const OVERRIDE = `
services:
  sample:
    image: node:24-slim
    command: [node, /checkout/test/container/sample-service.ts]
    volumes: ['${projectFolder}:/checkout:ro']
    secrets: [api_key]
  worker:
    image: headcount-test
    depends_on: [sample]
    environment: { HEADCOUNT_ALLOW_HTTP: '1', HEADCOUNT_SCHEDULE: '* * * * *' }
  serve:
    image: headcount-test
    ports: !override ['127.0.0.1::8080']
`

if (process.argv.includes('--help')) {
  process.stdout.write(help)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-container-'))
  try {
    await tryCompose(folder)
    process.stdout.write('The containers are as docker-compose.yml says.\n')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function tryCompose(folder: string): Promise<void> {
  const clone = join(folder, 'headcount')
  const override = join(folder, 'override.yml')
  await writeFile(override, OVERRIDE)
  await runWell(`git clone --quiet ${projectFolder} ${clone}`, folder)
  const command = process.env['COMPOSE'] ?? 'docker compose'
  const compose = `${command} --project-name headcount-test-${process.pid} -f docker-compose.yml -f ${override}`
  const env = { HEADCOUNT_BASE_URL: 'http://sample:8090/api/v1' }
  const call = (line: string) => runWell(`${compose} ${line}`, clone, env)

  await makeSecrets(clone)
  try {
    await call('build')
    await call('up --detach --wait --wait-timeout 120')
    await lookAtBounds(call)
    await lookAtMirror(call)
    await lookAtServe(call)
    await call('kill worker')
    await call('up --detach --wait --wait-timeout 120')
    await lookAtMirror(call)
    await call('stop')
    assert.match(await call('logs --no-log-prefix worker'), /"msg":"the worker was stopped"/)
  } catch (error) {
    process.stdout.write((await run(`${compose} logs --tail 20`, clone, env)).stdout)
    throw error
  } finally {
    await run(`${compose} down --volumes --timeout 20`, clone, env)
  }
}

/** The steps at the top of the file, but for the key, which a person pastes, and the start. */
async function makeSecrets(clone: string): Promise<void> {
  const text = await readFile(join(clone, 'docker-compose.yml'), 'utf8')
  const steps = [...text.matchAll(/^# {3}(.*)$/gm)].map(([, step = '']) => step).slice(0, -1)
  for (const step of steps) {
    await runWell(step.startsWith('cat > ') ? step.replace('cat >', `echo ${API_KEY} >`) : step, clone)
  }
}

type Call = (line: string) => Promise<string>

async function lookAtBounds(call: Call): Promise<void> {
  for (const service of ['worker', 'serve']) {
    assert.equal(await call(`exec -T ${service} id -un`), 'node\n')
    const status = await call(`exec -T ${service} cat /proc/1/status`)
    assert.match(status, /^CapEff:\s+0+$/m)
    assert.match(status, /^NoNewPrivs:\s+1$/m)
    const writes = 'touch /scratch/x && rm /scratch/x && ! touch ./x'
    await call(`exec -T ${service} sh -c '${writes}'`)
  }
}

/** The command is on the path, and its hints say so. */
async function lookAtMirror(call: Call): Promise<void> {
  // The worker's first run follows its start.
  await sleep(10_000)
  await call('exec -T worker headcount status --max-age 5m')
  const counted = await call(
    'exec -T worker headcount query "select count(*) from headcount.responses" --format csv',
  )
  assert.ok(Number(/\d+/.exec(counted)) > 1000, counted)
  assert.match(await call('exec -T worker headcount --help'), /^Usage: headcount <command>/)
}

async function lookAtServe(call: Call): Promise<void> {
  const [key = ''] =
    /hc_\S+/.exec(await call('run --rm -T --no-deps serve keys create --label website')) ?? []
  const address = (await call('port serve 8080')).trim()
  const answer = await fetch(`http://${address}/api/v1/events`, { headers: { 'X-API-Key': key } })
  assert.equal(answer.status, 200)
  assert.ok(((await answer.json()) as unknown[]).length > 50)
}

function run(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  process.stdout.write(`  ${line}\n`)
  return inShell(line, cwd, env, 900_000)
}

async function runWell(
  line: string,
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(line, cwd, env)
  assert.equal(code, 0, `${line}\n${stdout}\n${stderr}`)
  return stdout
}
