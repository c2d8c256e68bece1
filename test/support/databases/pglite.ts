import { existsSync } from 'node:fs'
import { cp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { TestProject } from 'vitest/node'
import { connect } from '../../../src/db/connect.ts'
import { fastFolder } from '../files/fast-folder.ts'
import { makeOwnFolder } from '../files/leftovers.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { newDataDir } from '../../../src/db/pglite/new-data-dir.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A closed PGlite folder, migrated and empty: copying it takes a tenth of the time that making one does. */
    readonly embeddedTemplate: string
    /** The same as one file, for a PGlite in memory. */
    readonly embeddedCopy: string
    /** A closed PGlite folder without any schema: making one takes seconds. */
    readonly embeddedBlank: string
    /** The same as one file. */
    readonly embeddedBlankCopy: string
  }
}

export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeOwnFolder(fastFolder, 'test-pglite')
  const blank = join(folder, 'blank')
  project.provide('embeddedBlank', blank)
  project.provide('embeddedBlankCopy', await writeCopy(blank))
  const template = join(folder, 'template')
  await cp(blank, template, { recursive: true })
  const database = await connect(`pglite:${template}`)
  await migrate(database)
  await database.close()
  project.provide('embeddedTemplate', template)
  project.provide('embeddedCopy', await writeCopy(template))
  return () => rm(folder, { recursive: true, force: true })
}

/** Gives the file; the folder is made when it is missing. */
async function writeCopy(folder: string): Promise<string> {
  const loadDataDir = existsSync(folder) ? null : await newDataDir()
  const pglite = await PGlite.create(folder, { ...(loadDataDir !== null && { loadDataDir }) })
  const copy = await pglite.dumpDataDir('none')
  await pglite.close()
  const file = `${folder}.tar`
  await writeFile(file, copy.stream())
  return file
}
