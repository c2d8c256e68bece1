import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** What no test needs, or is the user's alone. */
const leftOut: ReadonlySet<string> = new Set([
  '.git',
  '.postgres',
  'dist',
  'headcount-data',
  'headcount-demo',
  'node_modules',
  'secrets',
])

export interface PrivateCopy extends AsyncDisposable {
  readonly root: string
}

/**
 * A copy of the repository to be broken. Its node_modules is a folder of links, so that what tools keep in there
 * does not reach the user's own.
 */
export async function makePrivateCopy(repository: string): Promise<PrivateCopy> {
  const root = await mkdtemp(join(tmpdir(), 'headcount-mutants-'))
  const isWanted = (path: string) => path === repository || !leftOut.has(basename(path))
  for (const name of await readdir(repository)) {
    if (isWanted(join(repository, name)))
      await cp(join(repository, name), join(root, name), { recursive: true, filter: isWanted })
  }
  await mkdir(join(root, 'node_modules'))
  for (const name of await readdir(join(repository, 'node_modules'))) {
    if (!/^\.(?!bin$)/.test(name))
      await symlink(join(repository, 'node_modules', name), join(root, 'node_modules', name))
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) }
}
