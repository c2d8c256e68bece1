/** Folders in memory that an interrupted test run left: they hold a gigabyte until the machine starts again. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Makes a folder that names its owner, this process: when that is gone, {@link removeLeftovers} removes it. */
export function makeOwnFolder(parent: string, name: string): Promise<string> {
  return mkdtemp(join(parent, `headcount-${name}-${process.pid}-`))
}

/** Removes folders of this user whose owner is gone, and with a server those where that is gone, too. */
export async function removeLeftovers(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => /^headcount-(postgres|test-)/.test(name))
  for (const folder of names.map((name) => join(parent, name)))
    if (await isLeft(folder)) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

async function isLeft(folder: string): Promise<boolean> {
  const owner = /-(\d+)-[^-]+$/.exec(folder)?.[1]
  const server = await readServer(folder)
  // A folder that names nobody may be one of a run that has just begun.
  if (owner === undefined && server === null) return false
  if ((await ownerOf(folder)) !== process.getuid?.()) return false
  return [owner, server].every((pid) => pid == null || !isAlive(Number(pid)))
}

/** The process of its Postgres; null: there is none. PGlite writes a number below zero, for it has no process of its own. */
async function readServer(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'data/postmaster.pid'), 'utf8').catch(missing)
  return /^\d+$/m.exec(text?.split('\n', 1)[0] ?? '')?.[0] ?? null
}

async function ownerOf(folder: string): Promise<number | null> {
  return (await stat(folder).catch(missing))?.uid ?? null
}

/** Another run may have removed it; into a folder of another user nobody looks. */
function missing(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'EACCES'].includes(error.code ?? '')) return null
  throw error
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
