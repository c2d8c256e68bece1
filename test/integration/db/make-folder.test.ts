/** A folder that is made with those above it, and what is said where it cannot be. */
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import { makeFolder } from '../../../src/db/lease/make-folder.ts'
import { fastFolder } from '../../support/files/fast-folder.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'

async function place(): Promise<string> {
  const folder = await makeOwnFolder(fastFolder, 'test-make-folder')
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the topmost one that was made is named, and each has the mode; of several at once one makes it', async () => {
  const top = await place()
  const path = join(top, 'a', 'b', 'c')
  const made = await Promise.all(Array.from({ length: 8 }, () => makeFolder(path, 0o700)))
  expect(made.filter((folder) => folder === join(top, 'a'))).toHaveLength(1)
  for (const folder of ['a', 'a/b', 'a/b/c']) expect((await stat(join(top, folder))).mode & 0o777).toBe(0o700)
  expect(await makeFolder(path)).toBeUndefined()
  expect(await makeFolder(join(path, 'd', ''))).toBe(join(path, 'd', ''))
})

test('below a file it cannot be made', async () => {
  const file = join(await place(), 'file')
  await writeFile(file, '')
  await expect(makeFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  await expect(makeFolder(file)).rejects.toMatchObject({ code: 'EEXIST' })
})

// Node's own `recursive` would try for ever there.
test.runIf(process.platform === 'linux')(
  'where the system takes no folder, a mirror is refused and not waited for',
  async () => {
    await expect(makeFolder('/proc/headcount-test/a')).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(connect('pglite:/proc/headcount-test')).rejects.toThrow(
      /^PGlite in \/proc\/headcount-test: ENOENT: no such file or directory, mkdir '\/proc\/headcount-test'$/,
    )
  },
)
