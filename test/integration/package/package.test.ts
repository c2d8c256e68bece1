/** The package as `npm run package` makes it, laid out as `npm install` does, and the checkout that it is made in. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { accountOf } from '../../support/accounts/account.ts'
import { freshPlace } from '../../support/databases/databases.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { unexportedTypes } from '../../support/commands/unexported-types.ts'
import { copyProject, inShell, projectFolder, shell } from '../../support/commands/npm.ts'
import { testKey } from '../../support/http/reading.ts'

const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  version: string
}

let folder: string
/** A checkout of its own. */
let source: string
/** A folder that has the packed file and the packages that it names, and nothing else. */
let consumer: string
let packed: readonly string[]
let tarball: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-test-package-'))
  source = join(folder, 'source')
  consumer = join(folder, 'consumer')
  await copyProject(source)
  await symlink(join(projectFolder, 'node_modules'), join(source, 'node_modules'))
  await shell(`npm run -s package -- --pack-destination ${folder}`, source)
  tarball = join(folder, `headcount-${version}.tgz`)
  packed = (await shell(`tar tzf ${tarball}`, folder)).trim().split('\n')
  await layOut()
  // It compiles, bundles and packs: more than what a hook has elsewhere.
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** As `npm install` does, with links to packages that are here; `npm run test:install` has npm do it, which takes long. */
async function layOut(): Promise<void> {
  const modules = join(consumer, 'node_modules')
  const installed = join(modules, 'headcount')
  await mkdir(installed, { recursive: true })
  await mkdir(join(modules, '.bin'))
  await writeFile(join(consumer, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  await shell(`tar xzf ${tarball} --strip-components=1 -C ${installed}`, folder)
  await chmod(join(installed, 'src/headcount.cjs'), 0o755)
  await symlink('../headcount/src/headcount.cjs', join(modules, '.bin/headcount'))
  const { dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  // The types of Node come with those of pg.
  for (const name of [...Object.keys(dependencies), '@types/node']) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(projectFolder, 'node_modules', name), join(modules, name))
  }
}

/** The address of a PGlite folder with a migrated mirror: to make one takes most of the time of a first run. */
async function emptyFolder(name: string): Promise<string> {
  await cp(inject('embeddedTemplate'), join(folder, name), { recursive: true })
  return `pglite:${join(folder, name)}`
}

test('holds what is needed and nothing else', () => {
  expect(packed).toEqual(
    expect.arrayContaining([
      'package/LICENSE',
      'package/README.md',
      'package/dist/command/cli.cjs',
      'package/dist/command/THIRD-PARTY.txt',
      'package/dist/src/index.js',
      'package/dist/src/index.d.ts',
      'package/src/headcount.cjs',
    ]),
  )
  const allowed =
    /^package\/(dist\/(command|src|migrations)\/|docs\/|build\/headcount\.1$|src\/headcount\.cjs$|package\.json$|[A-Z]+(\.md)?$)/
  expect(packed.filter((path) => !allowed.test(path))).toEqual([])
  expect(packed.filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))).toEqual([])
  // The command is in its bundle; the library is all else.
  expect(
    packed.filter((path) => /^package\/dist\/src\/(cli|commands|config|worker|service\/sample)/.test(path)),
  ).toEqual([])
})

test('installed globally, it has a manual page where man looks for it', async () => {
  const prefix = join(folder, 'global')
  const alone = join(folder, 'alone')
  const installed = join(consumer, 'node_modules/headcount')
  for (const file of ['package.json', 'build/headcount.1', 'src/headcount.cjs'])
    await cp(join(installed, file), join(alone, file), { recursive: true })
  // Without its code and its dependencies, which take ten seconds; npm run test:install has them.
  const { dependencies: _, ...description } = JSON.parse(
    await readFile(join(alone, 'package.json'), 'utf8'),
  ) as Record<string, unknown>
  await writeFile(join(alone, 'package.json'), JSON.stringify(description))
  await shell(`npm install --global --install-links --prefix ${prefix} --no-fund --no-audit ${alone}`, folder)
  const page = await readFile(join(prefix, 'share/man/man1/headcount.1'), 'utf8')
  expect(page).toBe(readFileSync(join(projectFolder, 'build/headcount.1'), 'utf8'))
})

test('declares no type that a program can meet and not name', () => {
  expect(unexportedTypes(join(consumer, 'node_modules/headcount/dist/src/index.d.ts'))).toEqual([])
})

test('hands on the licences of the packages in the bundle', async () => {
  const text = await readFile(join(consumer, 'node_modules/headcount/dist/command/THIRD-PARTY.txt'), 'utf8')
  for (const title of ['commander 15', 'kysely 0', 'pg 8', 'undici 8', 'pino 10', 'hono 4']) {
    expect(text).toMatch(new RegExp(`^${title}\\.\\S+ \\(MIT\\)$`, 'm'))
  }
  expect(text.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(40)
})

test('npx --no -- headcount --version', async () => {
  expect(await shell('npx --no -- headcount --version', consumer)).toBe(`${version}\n`)
})

test('the command mirrors and answers', async () => {
  await using service = await startFaultServer()
  service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
  const env = {
    HEADCOUNT_BASE_URL: service.baseUrl.href,
    HEADCOUNT_API_KEY: testKey,
    DATABASE_URL: await emptyFolder('by-command'),
  }
  const report = JSON.parse(await shell('node_modules/.bin/headcount sync --json', consumer, env)) as object
  expect(report).toMatchObject({ status: 'succeeded', rows: { responses: { inserted: 3 } } })
  const answer = await shell(
    'node_modules/.bin/headcount query "select count(*) from responses" --format csv',
    consumer,
    env,
  )
  expect(answer).toBe('count\n3\n')
})

test('on Postgres it loads few files, and keeps what Node compiled beside them for the next start', async () => {
  await using place = await freshPlace('postgres', { blank: true })
  await using service = await startFaultServer()
  service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
  await writeFile(
    join(consumer, 'loaded.cjs'),
    `const loaded = new Set()
     require('node:module').registerHooks({ load: (url, context, next) => (loaded.add(url), next(url, context)) })
     process.on('exit', () => console.log(JSON.stringify([...loaded])))`,
  )
  const env = {
    HEADCOUNT_BASE_URL: service.baseUrl.href,
    HEADCOUNT_API_KEY: testKey,
    DATABASE_URL: place.url,
    NODE_COMPILE_CACHE: '',
  }
  const command = 'node --require ./loaded.cjs node_modules/headcount/src/headcount.cjs sync --quiet'
  const loaded = JSON.parse(await shell(command, consumer, env)) as string[]
  const files = loaded.filter((url) => url.startsWith('file:'))
  expect(files.filter((url) => !url.includes('/node_modules/headcount/'))).toEqual([])
  const names = files.map((url) => basename(url))
  expect(names).toEqual(expect.arrayContaining(['cli.cjs', 'sync.cjs', 'open-postgres.cjs', 'pino.cjs']))
  for (const name of ['open-pglite', 'demo', 'node-cron', 'cli-progress', 'pino-pretty', 'table']) {
    expect(names).not.toContain(`${name}.cjs`)
  }
  expect(names.length).toBeLessThan(50)
  const [kept = ''] = await readdir(join(consumer, 'node_modules/headcount/dist/cache'))
  expect(kept).toContain(process.version)
})

test('as a library: import { sync } from "headcount"', async () => {
  await using service = await startFaultServer()
  service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
  const options = {
    database: await emptyFolder('by-library'),
    baseUrl: service.baseUrl.href,
    apiKey: testKey,
  }
  await writeFile(
    join(consumer, 'script.js'),
    `import { sync } from 'headcount'
     import { createRequire } from 'node:module'
     const { version } = createRequire(import.meta.url)('headcount/package.json')
     const report = await sync(${JSON.stringify(options)})
     console.log(JSON.stringify({ ...report, version }))`,
  )
  const report = JSON.parse(await shell('node script.js', consumer)) as object
  expect(report).toMatchObject({
    status: 'succeeded',
    rows: { responses: { inserted: 3 } },
    version: '0.1.0',
  })
})

// esbuild leaves import.meta empty in CommonJS.
const bundles = [
  ['esm', {}],
  ['cjs', { 'import.meta.url': 'undefined' }],
] as const

test.each(bundles)(
  'a bundler finds all that the library imports, and the bundle runs where no package.json is: %s',
  async (format, define) => {
    await using place = await freshPlace('postgres', { blank: true })
    await using service = await startFaultServer()
    service.always(send((request) => accountOf({ gala: 3 }).answer(request)))
    const options = { database: place.url, baseUrl: service.baseUrl.href, apiKey: testKey }
    const input = join(consumer, 'bundled.js')
    await writeFile(
      input,
      `import { status, sync } from 'headcount'
     const missing = status({ database: 'pglite:./none' }).catch(({ message }) => message)
     const report = sync(${JSON.stringify(options)})
     missing.then(async (missing) => console.log(JSON.stringify({ missing, ...(await report) })))`,
    )
    const warnings: string[] = []
    const onLog = (_level: string, { message }: { message: string }) => void warnings.push(message)
    await using bundle = await rolldown({ input, platform: 'node', transform: { define }, onLog })
    const dir = join(folder, `bundled-${format}`)
    await bundle.write({ dir, format })
    expect(warnings.filter((message) => message.includes('Could not resolve'))).toEqual([])
    const report = JSON.parse(await shell('node bundled.js', dir)) as object
    expect(report).toMatchObject({
      missing: expect.stringContaining('Run headcount sync first') as string,
      status: 'succeeded',
    })
  },
)

test('its types are enough for a strict consumer, who checks those of libraries too', async () => {
  await writeFile(
    join(consumer, 'consumer.ts'),
    `import { Pool } from 'pg'
     import { backfill, HeadcountError, AuthenticationError, migrate, sync } from 'headcount'
     import type { HeadcountErrorCode, Logger, Progress, RunOptions, RunReport } from 'headcount'

     const pool = new Pool({ max: 3 })
     const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
     const onProgress = ({ events }: Progress): void => void (events.done / events.total)
     const options: RunOptions = { pool, apiKey: 'k', baseUrl: 'https://events.example/api/v1', logger, onProgress }
     export async function work(): Promise<number> {
       try {
         await migrate({ pool })
         const report: RunReport = await sync(options)
         // @ts-expect-error: the report has no such field, so it is not any
         void report.nonsense
         return (await backfill(options)).rows.responses.inserted + report.events.listed
       } catch (error) {
         const code: HeadcountErrorCode | null = error instanceof HeadcountError ? error.code : null
         // @ts-expect-error: no error has this code
         void (code === 'nonsense')
         return error instanceof AuthenticationError || !(error instanceof HeadcountError) ? 3 : error.exitCode
       }
     }`,
  )
  const flags = '--noEmit --strict --module nodenext --target esnext --lib es2024 --types node'
  await shell(`${join(projectFolder, 'node_modules/.bin/tsc')} ${flags} consumer.ts`, consumer)
})

/** A Node of the machine that is too old, as a user might have; not the one that npm scripts get. */
const oldNode = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((path) => !path.includes('node_modules'))
  .map((path) => join(path, 'node'))
  .find(isTooOld)

function isTooOld(node: string): boolean {
  try {
    const answer = execFileSync(node, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return Number.parseInt(answer.slice(1), 10) < 24
  } catch {
    return false
  }
}

test.skipIf(oldNode === undefined)(
  'O11 an old Node says in one line what is needed (needs a Node before 24 on the path)',
  () => {
    const bin = join(consumer, 'node_modules/headcount/src/headcount.cjs')
    const run = () => execFileSync(oldNode ?? '', [bin, '--version'], { encoding: 'utf8', stdio: 'pipe' })
    expect(run).toThrow(
      expect.objectContaining({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^headcount needs Node 24 or newer; this is v\d+\.\d+\.\d+ .*\n$/),
      }),
    )
  },
)

test('its README is one for those who install it, and names the file that is made', async () => {
  const readme = await readFile(join(consumer, 'node_modules/headcount/README.md'), 'utf8')
  expect(readme).toContain(`npm install --global headcount-${version}.tgz`)
  expect(readme).not.toMatch(/npm (ci|test|run)/)
  const { stdout } = await inShell('node_modules/.bin/headcount --help', consumer)
  const known = [...stdout.matchAll(/^ {2}(\w+) {2,}\w/gm)].map(([, name]) => name)
  const named = [...readme.matchAll(/^ {4}headcount (\w+)/gm)].map(([, name]) => name)
  expect(named).toEqual(['demo', 'doctor', 'sync', 'query'])
  expect(named.filter((name) => !known.includes(name))).toEqual([])
})

test('a hint in a project that depends on it works there as it is printed', async () => {
  const { code, stderr } = await inShell('npx --no -- headcount status --database pglite:./none', consumer)
  expect(code).toBe(5)
  expect(stderr).toContain('Run npx --no -- headcount --database pglite:./none sync first')
})

describe('the checkout', () => {
  const started = () => inShell('node src/headcount.cjs --version', source)

  test('O11 runs what it built, and says when that is older than its sources', async () => {
    expect(await started()).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    const soon = new Date(Date.now() + 60_000)
    await utimes(join(source, 'src/sync/run.ts'), soon, soon)
    expect(await started()).toEqual({
      code: 0,
      stdout: `${version}\n`,
      stderr: 'headcount: the sources are newer than this build of them; npm run build makes another\n',
    })
  })

  test.skipIf(oldNode === undefined)(
    'O11 starts the Node that it brings when it is called by an old one (needs a Node before 24 on the path)',
    async () => {
      await utimes(join(source, 'src/sync/run.ts'), new Date(0), new Date(0))
      const called = await inShell(`${oldNode} src/headcount.cjs --version`, source)
      expect(called).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
    },
  )

  test('is packed by one command only', async () => {
    const packed = await inShell('npm pack --dry-run', source)
    expect(packed.code).not.toBe(0)
    expect(packed.stderr).toContain('npm run package packs what others get')
  })

  test('O11 builds nothing without sources or compiler, says so in one line, and ends well', async () => {
    const layer = join(folder, 'layer')
    await mkdir(join(layer, 'build'), { recursive: true })
    for (const file of ['build/prepare.cjs', 'build/checkout.cjs', 'src/headcount.cjs']) {
      await cp(join(source, file), join(layer, file))
    }
    expect(await inShell('node build/prepare.cjs', layer)).toEqual({
      code: 0,
      stdout: 'headcount is not built: there are no sources\n',
      stderr: '',
    })
    await cp(join(source, 'src/cli.ts'), join(layer, 'src/cli.ts'))
    expect(await inShell('node build/prepare.cjs', layer)).toEqual({
      code: 0,
      stdout: 'headcount is not built: the compiler is a development package, and those are not installed\n',
      stderr: '',
    })
    expect(await inShell('node src/headcount.cjs sync', layer)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^headcount is not built here: npm ci builds it .*\n$/) as string,
    })
  })

  test('O11 has no build after one that failed, which tells what the compiler says', async () => {
    // The whole would take the compiler five seconds, to say the same.
    for (const entry of await readdir(join(source, 'src')))
      if (!['cli.ts', 'headcount.cjs', 'index.ts'].includes(entry))
        await rm(join(source, 'src', entry), { recursive: true })
    for (const file of ['cli.ts', 'index.ts'])
      await writeFile(join(source, 'src', file), 'export const wrong: number = true\n')
    const failed = await inShell('npm run -s build', source)
    expect(failed.code).toBe(1)
    expect(failed.stderr).toMatch(/The build failed.*src\/index\.ts.*TS2322/s)
    expect(await readdir(source)).not.toContain('dist')
    expect(await started()).toMatchObject({ code: 1, stderr: expect.stringContaining('not built') as string })
  })
})

test('the file that is started has nothing that a Node of ten years ago could not read', () => {
  const code = readFileSync(join(projectFolder, 'src/headcount.cjs'), 'utf8').replace(/^#!.*|\/\/.*$/gm, '')
  expect(code).not.toMatch(/\b(const|let|class|async|await|import|export)\b|=>|`|\?\?|\?\.|\.\.\./)
})
