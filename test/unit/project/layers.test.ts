import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** An import and whether the house allows it; each is tried by the linter itself, in a copy of the tree's shape. */
const forbidden = [
  ['src/common/errors.ts', '../sync/run.ts'],
  ['src/common/errors.ts', '../config/config.ts'],
  ['src/common/json/exact.ts', '../../db/connect.ts'],
  ['src/common/schema/tables.ts', '../../db/connect.ts'],
  ['src/source/api.ts', '../normalise/items/responses.ts'],
  ['src/source/api.ts', '../load/write/responses.ts'],
  ['src/source/api.ts', '../db/connect.ts'],
  ['src/source/http/headers.ts', '../../sync/run.ts'],
  ['src/source/api.ts', 'undici'],
  ['src/normalise/items/responses.ts', '../../source/api.ts'],
  ['src/normalise/version.ts', '../load/write/responses.ts'],
  ['src/normalise/items/responses.ts', 'kysely'],
  ['src/normalise/items/responses.ts', 'node:fs'],
  ['src/load/write/responses.ts', '../../normalise/items/responses.ts'],
  ['src/load/write/responses.ts', '../../source/api.ts'],
  ['src/load/write/responses.ts', '../../db/connect.ts'],
  ['src/load/loader.ts', '../db/transaction/other.ts'],
  ['src/load/write/responses.ts', 'pg'],
  ['src/db/migrate.ts', '../load/write/responses.ts'],
  ['src/db/migrate.ts', 'pg'],
  ['src/db/migrate.ts', '@electric-sql/pglite'],
  ['src/sync/run.ts', '../server/http-service.ts'],
  ['src/sync/run.ts', '../orchestration/schedule/worker.ts'],
  ['src/sync/run.ts', '../mirror/accounts.ts'],
  ['src/sync/run.ts', '../config/config.ts'],
  ['src/sync/fetch/outage.ts', '../../commands/sync/sync.ts'],
  ['src/sync/run.ts', '../index.ts'],
  ['src/mirror/accounts.ts', '../commands/maintain/accounts.ts'],
  ['src/mirror/calls/status.ts', '../../config/config.ts'],
  ['src/outputs/report/render-report.ts', '../../server/http-service.ts'],
  ['src/outputs/report/render-report.ts', '../../sync/run.ts'],
  ['src/outputs/report/render-report.ts', '../notify/deliver.ts'],
  ['src/telemetry/runs.ts', './sdk/telemetry.ts'],
  ['src/sync/run.ts', '../telemetry/sdk/telemetry.ts'],
  ['src/outputs/export/link-content.ts', '../report/link-report.ts'],
  ['src/mirror/answers/report/report-call.ts', '../../../outputs/report/render-report.ts'],
  ['src/server/http-service.ts', '../sync/run.ts'],
  ['src/server/stores/mirror/list.ts', '../../../sync/run.ts'],
  ['src/orchestration/schedule/worker.ts', '../../sync/run.ts'],
  ['src/orchestration/schedule/worker.ts', '../queue/open-queue.ts'],
  ['src/orchestration/schedule/worker.ts', '../../cli.ts'],
  ['src/index.ts', './commands/sync/sync.ts'],
  ['src/commands/sync/sync.ts', '../../cli.ts'],
  ['src/commands/sync/sync.ts', 'undici'],
  ['src/commands/sync/sync.ts', 'pg'],
] as const

const allowed = [
  ['src/normalise/items/responses.ts', '../../common/json/parse-list.ts'],
  ['src/load/write/responses.ts', '../../db/transaction.ts'],
  ['src/source/http/client.ts', 'undici'],
  ['src/commands/control/client.ts', 'undici'],
  ['src/db/postgres/open-postgres.ts', 'pg'],
  ['src/sync/run.ts', '../source/api.ts'],
  ['src/sync/run.ts', '../telemetry/runs.ts'],
  ['src/outputs/report/render-report.ts', '../export/link-content.ts'],
  ['src/telemetry/sdk/telemetry.ts', '../runs.ts'],
  ['src/mirror/accounts.ts', '../sync/open/find-account.ts'],
  ['src/server/stores/mirror/list.ts', '../store.ts'],
  ['src/commands/inspect/status.ts', '../sync/run-command.ts'],
  ['src/commands/sync/sync.ts', '../../sync/run.ts'],
] as const

const root = join(import.meta.dirname, '../../..')
let tree: string
/** The imports that the linter refuses: of which file, and of what. */
let refused: ReadonlySet<string>

beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'headcount-layers-'))
  await cp(join(root, 'oxlint.config.ts'), join(tree, 'oxlint.config.ts'))
  await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
  refused = await refusedImports(Map.groupBy([...forbidden, ...allowed], ([file]) => file))
})
afterAll(() => rm(tree, { recursive: true }))

interface Diagnostic {
  readonly code: string
  readonly filename: string
  readonly labels: readonly { readonly span: { readonly line: number } }[]
}

/** One run of the linter over all files, each with all of its imports, one a line. */
async function refusedImports(
  imports: ReadonlyMap<string, readonly (readonly [file: string, name: string])[]>,
): Promise<Set<string>> {
  for (const [file, of] of imports)
    await place(file, of.map(([, name], index) => `export * as thing${index} from '${name}'\n`).join(''))
  const said = await lint('src', '--format', 'json')
  const { diagnostics } = JSON.parse(said) as { readonly diagnostics: readonly Diagnostic[] }
  return new Set(
    diagnostics
      .filter(({ code }) => code.includes('no-restricted-imports'))
      .flatMap(({ filename, labels }) =>
        labels.map(({ span }) => `${filename} ${imports.get(filename)?.[span.line - 1]?.[1]}`),
      ),
  )
}

async function place(file: string, source: string): Promise<void> {
  const path = join(tree, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, source)
}

/** What the linter says of a file or folder. */
async function lint(path: string, ...flags: string[]): Promise<string> {
  const oxlint = join(root, 'node_modules/oxlint/bin/oxlint')
  const run = Promise.withResolvers<string>()
  execFile(
    process.execPath,
    [oxlint, '-c', 'oxlint.config.ts', ...flags, path],
    { cwd: tree, maxBuffer: 16_000_000 },
    (_error, stdout) => run.resolve(stdout),
  )
  return run.promise
}

async function lintFile(file: string, source: string, ...flags: string[]): Promise<string> {
  await place(file, source)
  return lint(file, ...flags)
}

test('no folder below src shows more than 14 entries', async () => {
  const entries = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true })
  const folders = Map.groupBy(entries, ({ parentPath }) => relative(root, parentPath))
  folders.delete('src')
  expect([...folders].filter(([, { length }]) => length > 14).map(([folder]) => folder)).toEqual([])
  expect(folders.size).toBeGreaterThan(50)
})

describe('the layers of the house hold, by lint', () => {
  test.each(forbidden)('%s must not import %s', (file, name) => {
    expect(refused).toContain(`${file} ${name}`)
  })

  test.each(allowed)('%s may import %s', (file, name) => {
    expect(refused).not.toContain(`${file} ${name}`)
  })

  test('only config reads the environment', async () => {
    const source = 'export const home = process.env["HOME"]\n'
    expect(await lintFile('src/sync/run.ts', source)).toContain('no-process-env')
    expect(await lintFile('src/config/config.ts', source)).not.toContain('no-process-env')
  })

  test('a promise that nobody waits for is an error', async () => {
    const source = 'export function go(): void {\n  Promise.resolve(1)\n}\n'
    await writeFile(join(tree, 'tsconfig.json'), '{ "include": ["src"] }')
    expect(await lintFile('src/orchestration/schedule/floating.ts', source, '--type-aware')).toContain(
      'no-floating-promises',
    )
  })
})
