import { PGlite } from '@electric-sql/pglite'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dataDirName } from '../src/db/pglite/new-data-dir.ts'

/** Where the next build finds it: initdb takes seconds. `npm ci` removes it. */
const CACHE = join(import.meta.dirname, '../node_modules/.cache/headcount')

/** Writes the data directory of a new PGlite into a folder, as the file that src/db/pglite/new-data-dir.ts reads. */
export async function writeDataDir(folder: string): Promise<void> {
  const name = dataDirName()
  const [file, cached] = [join(folder, name), join(CACHE, name)]
  await mkdir(folder, { recursive: true })
  if (await succeeds(copyFile(cached, file))) return
  const pglite = await PGlite.create()
  const dumped = await pglite.dumpDataDir('gzip')
  await pglite.close()
  await writeFile(file, dumped.stream())
  // Whoever may not write there makes it anew each time.
  const unfinished = `${cached}.${process.pid}`
  await succeeds(
    mkdir(CACHE, { recursive: true })
      .then(() => copyFile(file, unfinished))
      .then(() => rename(unfinished, cached)),
  )
  await succeeds(rm(unfinished, { force: true }))
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  )
}
