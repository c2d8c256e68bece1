import { existsSync, openAsBlob } from 'node:fs'
import { dirname, join } from 'node:path'
import { findPackage, ownPackage } from '../../common/version.ts'

/**
 * The data directory of a new database, as initdb of the installed PGlite makes it: made once, when headcount is built
 * (build/pglite-data-dir.ts). Each time anew it would take four seconds of processor time and hundreds of megabytes of memory.
 *
 * @returns null where the build has none for this PGlite: then PGlite runs initdb itself
 */
export async function newDataDir(): Promise<Blob | null> {
  const own = ownPackage()
  if (own === undefined) return null
  const file = join(dirname(own.path), 'dist/command', dataDirName())
  return existsSync(file) ? openAsBlob(file, { type: 'application/x-gzip' }) : null
}

/** The file's name has the version of PGlite: what another version made is not taken. */
export function dataDirName(): string {
  return `pglite-${findPackage('@electric-sql/pglite')?.version ?? 'unknown'}.tar.gz`
}
