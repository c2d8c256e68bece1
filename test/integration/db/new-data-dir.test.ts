/** A new PGlite begins with the data directory of the build, which is what initdb makes. */
import { PGlite } from '@electric-sql/pglite'
import { cp, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { expect, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { run } from '../../support/commands/command.ts'
import { fastFolder } from '../../support/files/fast-folder.ts'

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
  await using parent = await mkdtempDisposable(join(fastFolder, 'headcount-test-new-'))
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

test('without it, as in a program into which a bundler has put PGlite, initdb makes a folder all the same', async () => {
  await using parent = await mkdtempDisposable(join(fastFolder, 'headcount-test-new-'))
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
