/** A new PGlite begins with the data directory of the build, which is what initdb makes. */
import { PGlite } from '@electric-sql/pglite'
import { cp, mkdtempDisposable, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { expect, inject, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { dataDirName } from '../../../src/db/pglite/new-data-dir.ts'
import { run } from '../../support/commands/command.ts'

/** Of the cluster: initdb draws it, and a copy keeps it. */
const IDENTIFIER = 'select system_identifier::text from pg_control_system()'
const SETTINGS = `select name, setting from pg_settings where name <> 'data_directory' order by name`

async function makeFolder(folder: string) {
  await using database = await connect(`pglite:${folder}`)
  return await database.transaction(async (trx) => ({
    identifier: (await trx.query(IDENTIFIER)).rows[0]?.[0],
    settings: (await trx.query(SETTINGS)).rows,
  }))
}

test('a new folder has the files and settings that initdb makes, and comes from the build', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'headcount-test-new-'))
  const inParent = (name: string) => join(parent.path, name)
  const [one, other, plain] = [inParent('one'), inParent('other'), inParent('plain')]
  const made = await makeFolder(one)
  expect(await makeFolder(other)).toEqual(made)
  const pglite = await PGlite.create(plain, {
    startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB'],
  })
  const { rows } = await pglite.query<{ system_identifier: string }>(IDENTIFIER)
  expect(rows[0]?.system_identifier).not.toBe(made.identifier)
  await pglite.close()
  const filesOf = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted()
  expect(await filesOf(one)).toEqual(await filesOf(plain))
})

test('a build without it makes a folder all the same, by initdb', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'headcount-test-new-'))
  // Of the folder of packages, in which PGlite lies beside the command.
  const packages = join(parent.path, 'node_modules')
  await cp(join(dirname(inject('command')), '../..'), packages, { recursive: true, verbatimSymlinks: true })
  await rm(join(packages, 'headcount/dist/command', dataDirName()))
  const folder = join(parent.path, 'data')
  const command = join(packages, 'headcount/src/headcount.cjs')
  const made = await run(process.execPath, [command, 'migrate', '--database', `pglite:${folder}`])
  expect(made.code).toBe(0)
  const { identifier } = await makeFolder(folder)
  const pristine = await makeFolder(join(parent.path, 'pristine'))
  expect(identifier).not.toBe(pristine.identifier)
})

test('a program into which a bundler has put PGlite makes a folder all the same', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'headcount-test-new-'))
  const input = join(parent.path, 'program.ts')
  const library = join(import.meta.dirname, '../../../src/index.ts')
  const call = `await migrate({ database: 'pglite:' + process.argv[2] })`
  await writeFile(input, `import { migrate } from ${JSON.stringify(library)}\n${call}\n`)
  const bundle = join(parent.path, 'bundle')
  await build({ input, platform: 'node', output: { dir: bundle, format: 'esm' }, logLevel: 'silent' })
  const files = dirname(fileURLToPath(import.meta.resolve('@electric-sql/pglite')))
  for (const name of await readdir(files))
    if (/\.(?:wasm|data)$/.test(name)) await cp(join(files, name), join(bundle, name))
  const made = await run(process.execPath, [join(bundle, 'program.js'), join(parent.path, 'data')])
  expect(made).toMatchObject({ code: 0, stderr: '' })
})
