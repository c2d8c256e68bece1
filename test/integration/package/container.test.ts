/**
 * The container without an engine: the compose file and the Dockerfile are read, and the very commands of the image
 * run as another user in a folder that nobody may write to. What an engine alone can show (its isolation, volumes,
 * the start of all containers together) `npm run test:container` shows.
 */
import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { freshPlace, onServer } from '../../support/databases/databases.ts'
import { closedPort } from '../../support/http/fault-server.ts'
import { buildImage, last, readStages, words, type Image } from '../../support/commands/image.ts'
import { projectFolder, shell } from '../../support/commands/npm.ts'
import { startProcess, type Process } from '../../support/commands/process.ts'
import { serveAccount } from '../../support/http/serving.ts'

interface Container {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly volumes: readonly string[]
  readonly depends_on?: unknown
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly stop_grace_period: string
  readonly command?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly restart?: string
}

interface Compose {
  readonly services: { readonly postgres: Container; readonly worker: Container; readonly serve: Container }
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

const composeText = await readFile(join(projectFolder, 'docker-compose.yml'), 'utf8')
const compose = parse(composeText) as Compose
const { postgres, worker, serve } = compose.services

describe('docker-compose.yml', () => {
  test('the database: Postgres 18, its volume where 18 wants it, healthy before the worker starts', () => {
    expect(postgres.image).toBe('postgres:18')
    expect(postgres.volumes).toEqual([
      './docker/headcount-role.sql:/docker-entrypoint-initdb.d/headcount-role.sql:ro',
      'postgres-data:/var/lib/postgresql',
    ])
    expect(postgres.healthcheck?.test).toEqual(expect.arrayContaining(['pg_isready', '--host=127.0.0.1']))
    expect(worker.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  })

  test('the worker: nothing to write to but its scratch volume, no capabilities, no new privileges', () => {
    expect(worker).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      volumes: ['scratch:/scratch'],
      restart: 'unless-stopped',
    })
    expect(worker).not.toHaveProperty('tmpfs')
    expect(postgres).toMatchObject({ restart: 'unless-stopped' })
    expect(Object.keys(compose.volumes)).toEqual(['postgres-data', 'scratch'])
  })

  test('serve: the same image with the same bounds, on a port of this machine alone, without the key of the account', () => {
    expect(serve).toMatchObject({
      image: worker.image,
      command: ['serve'],
      ports: ['127.0.0.1:8080:8080'],
      secrets: ['database_url'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    })
    for (const bound of ['read_only', 'cap_drop', 'security_opt', 'volumes', 'restart'] as const)
      expect(serve[bound]).toEqual(worker[bound])
  })

  test('the port of Postgres, for tools on this machine, is a comment', () => {
    expect(postgres).not.toHaveProperty('ports')
    expect(composeText).toMatch(/^ +# ports:\n +# {3}- 127\.0\.0\.1:5432:5432$/m)
  })

  test('worker and serve get more time to end than they take', () => {
    for (const { stop_grace_period } of [worker, serve])
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(10)
  })

  test('secrets are files, never variables', () => {
    const named = [...worker.secrets, ...postgres.secrets]
    expect(named.toSorted()).toEqual(['api_key', 'database_url', 'headcount_password', 'postgres_password'])
    expect(Object.keys(compose.secrets).toSorted()).toEqual(named.toSorted())
    expect(worker.environment).toMatchObject({
      HEADCOUNT_API_KEY_FILE: '/run/secrets/api_key',
      DATABASE_URL_FILE: '/run/secrets/database_url',
    })
    expect(postgres.environment).toMatchObject({ POSTGRES_PASSWORD_FILE: '/run/secrets/postgres_password' })
    for (const variable of ['HEADCOUNT_API_KEY', 'DATABASE_URL'])
      expect(worker.environment).not.toHaveProperty(variable)
    expect(postgres.environment).not.toHaveProperty('POSTGRES_PASSWORD')
  })

  test('secrets stay out of the repository and out of the image', async () => {
    const ignored = async (file: string) => (await readFile(join(projectFolder, file), 'utf8')).split('\n')
    expect(Object.values(compose.secrets).every(({ file }) => file.startsWith('./secrets/'))).toBe(true)
    expect(await ignored('.gitignore')).toContain('secrets/')
    const rules = (await ignored('.dockerignore')).filter((line) => line !== '' && !line.startsWith('#'))
    expect(rules[0]).toBe('*')
    expect(rules).not.toContain('!secrets')
  })
})

test('Dockerfile: built in one stage, run in another on the slim Node 24 by a user without rights', async () => {
  const [build, final, ...more] = await readStages()
  if (build === undefined || final === undefined) throw new Error('the Dockerfile has no two stages')
  expect(more).toEqual([])
  expect([build.base, final.base]).toEqual(['node:24-slim', 'node:24-slim'])
  expect(build.instructions.findLast(({ word }) => word === 'RUN')?.rest).toBe('npm run build')
  expect(last(final, 'USER')).toBe('node')
  const afterUser = final.instructions.slice(final.instructions.findIndex(({ word }) => word === 'USER') + 1)
  expect(afterUser.map(({ word }) => word)).toEqual(['HEALTHCHECK', 'ENTRYPOINT', 'CMD'])
  expect(words(last(final, 'CMD'))).toEqual(['worker'])
})

describe('the image', () => {
  const isRoot = process.getuid?.() === 0
  /** Stands for the image's user `node`: `nobody` when the tests may choose, else whoever runs them. */
  const user = isRoot ? 65_534 : undefined
  const owner = { uid: user ?? process.getuid?.() ?? 0, gid: user ?? process.getgid?.() ?? 0 }
  let folder: string
  let image: Image

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headcount-test-image-'))
    await chmod(folder, 0o755)
    image = await buildImage(folder, owner)
    // The file system of the container is read-only, and root's.
    if (isRoot) await shell('chown -R 0:0 usr bin', image.root)
    await shell('chmod -R a-w,a+rX usr bin', image.root)
  })

  afterAll(async () => {
    await shell('chmod -R u+w .', folder)
    await rm(folder, { recursive: true, force: true })
  })

  /** What compose would set, with secrets in files that only their reader may read. */
  async function environment(
    secrets: Readonly<Record<string, string>>,
    baseUrl: string,
    service: Container = worker,
  ) {
    await mkdir(join(image.root, 'run/secrets'), { recursive: true })
    for (const [name, text] of Object.entries(secrets)) {
      const file = join(image.root, 'run/secrets', name)
      await rm(file, { force: true })
      await writeFile(file, `${text}\n`, { mode: 0o400 })
      if (isRoot) await chown(file, owner.uid, owner.gid)
    }
    const given = Object.entries(service.environment).map(([name, value]) => {
      if (name === 'HEADCOUNT_BASE_URL') return [name, baseUrl]
      return [name, value.replace(/^\/run/, `${image.root}/run`).replace(/^\$\{\w+:-(.*)\}$/, '$1')]
    })
    const port = String(await closedPort())
    return { ...image.environment, ...Object.fromEntries(given), HEADCOUNT_HEALTH_PORT: port } as Record<
      string,
      string
    >
  }

  /**
   * What the image of Postgres does with the script of the compose file, without psql: as a superuser, in the database.
   *
   * @returns the worker's URL
   */
  async function setUpDatabase(url: string): Promise<string> {
    const password = "it's a secret \\ "
    const secret = join(folder, 'headcount_password')
    await writeFile(secret, `${password.trim()}\n`)
    await chmod(secret, 0o444)
    const script = await readFile(join(projectFolder, 'docker/headcount-role.sql'), 'utf8')
    expect(script.split('/run/secrets/headcount_password')).toHaveLength(2)
    const client = new Client(url)
    await client.connect()
    await client.query(script.replace('/run/secrets/headcount_password', secret))
    const { rows } = await client.query(
      `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
              (select rolname from pg_roles o where o.oid = datdba) as owner
         from pg_roles, pg_database where rolname = 'headcount' and datname = current_database()`,
    )
    await client.end()
    const no = false
    expect(rows).toEqual([
      {
        rolsuper: no,
        rolcreatedb: no,
        rolcreaterole: no,
        rolreplication: no,
        rolbypassrls: no,
        owner: 'headcount',
      },
    ])
    const own = new URL(url)
    own.username = 'headcount'
    own.password = encodeURIComponent(password.trim())
    return own.href
  }

  function start(args: readonly string[], env: Readonly<Record<string, string>>): Process {
    const [program = '', ...rest] = [...image.entrypoint, ...args]
    return startProcess(program, rest, { env, cwd: image.workingFolder, ...(user !== undefined && { user }) })
  }

  function checkHealth(env: Readonly<Record<string, string>>) {
    const [program = '', ...args] = image.healthCheck
    return spawnSync(program, args, { env, encoding: 'utf8', uid: user, gid: user, cwd: image.workingFolder })
  }

  test('holds the command and the one package that is not in it, and nothing to write to', async () => {
    expect(await shell('ls dist', image.workingFolder)).toBe('command\n')
    expect(await shell('ls -d node_modules/*/*', image.workingFolder)).toBe(
      'node_modules/@electric-sql/pglite\n',
    )
    expect(await shell('find . -perm /222 -not -type l', image.workingFolder)).toBe('')
    expect(await shell('ls -A', image.workingFolder)).toBe('dist\nnode_modules\npackage.json\nsrc\n')
  })

  test('the worker mirrors, serve answers from the mirror, both are healthy by the check of the image, and end with 0 on SIGTERM', async () => {
    await using server = new AsyncDisposableStack()
    server.defer(() => onServer('drop role headcount'))
    const place = server.use(await freshPlace('postgres', { blank: true }))
    const asWorker = await setUpDatabase(place.url)
    const apiKey = 'canary-0e5f9a7c3b'
    const account = createSampleAccount({ seed: 7, now: new Date() })
    const { url } = server.use(await serveAccount(account, apiKey))
    const env = await environment({ api_key: apiKey, database_url: asWorker }, url)
    expect(checkHealth(env).status).toBe(1)

    await using running = start(image.command, env)
    await expect
      .poll(() => checkHealth(env), { timeout: 20_000 })
      .toMatchObject({
        status: 0,
        stdout: expect.stringContaining('"healthy":true'),
      })
    await running.says('the next run is at')
    expect(running.log.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/^sync (succeeded|held)$/))
    expect(checkHealth(env)).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('the last good run began'),
    })
    await using database = await place.open()
    const { n } = await database.kysely
      .selectFrom('headcount.responses')
      .select((mirror) => mirror.fn.countAll<string>().as('n'))
      .executeTakeFirstOrThrow()
    expect(Number(n)).toBeGreaterThan(1000)

    const serving = await environment({ database_url: asWorker }, url, serve)
    const ownPort = { ...serving, HEADCOUNT_SERVE_PORT: serving['HEADCOUNT_HEALTH_PORT'] ?? '' }
    await using answering = start(serve.command ?? [], ownPort)
    await expect
      .poll(() => checkHealth(ownPort), { timeout: 20_000 })
      .toMatchObject({ status: 0, stdout: '{"status":"alive"}' })
    expect(await answering.says('request')).toMatchObject({ path: '/healthz', status: 200 })
    answering.kill('SIGTERM')
    expect((await answering.ended).code).toBe(0)

    const once = await start(['sync', '--quiet'], env).ended
    expect([0, 8]).toContain(once.code)

    const began = performance.now()
    running.kill('SIGTERM')
    const { code, stdout, stderr } = await running.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(performance.now() - began).toBeLessThan(8000)
    expect(stderr).not.toContain(apiKey)
  })

  test('the check fails with the reason while the worker cannot reach its database', async () => {
    const env = await environment(
      { api_key: 'canary-0e5f9a7c3b', database_url: `postgres://a:b@127.0.0.1:${await closedPort()}/c` },
      'http://127.0.0.1:9/api/v1',
    )
    await using running = start(image.command, env)
    await running.says('the next run is at')
    expect(checkHealth(env)).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(
        '"reason":"there has been no good run yet; the last run: database: Postgres at',
      ),
    })
    running.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  test('runs any other command too', async () => {
    const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(await start(['--version'], image.environment).ended).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: '',
    })
    expect((await start(['--help'], image.environment).ended).stdout).toMatch(/^Usage: headcount <command>/)
    expect(await shell('headcount --version', image.workingFolder, image.environment)).toBe(`${version}\n`)
  })
})
