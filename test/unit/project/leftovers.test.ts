/** What an interrupted test run left in memory is removed by the next one, and nothing of a run that goes on. */
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtempDisposable, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { makeOwnFolder, removeLeftovers } from '../../support/files/leftovers.ts'

const living = process.pid
const { pid: gone } = spawnSync('true')

test('folders go when their owner and their server are gone', async () => {
  await using parent = await mkdtempDisposable(join(tmpdir(), 'headcount-test-leftovers-'))
  const make = async (name: string, server?: number) => {
    await mkdir(join(parent.path, name, 'data'), { recursive: true })
    if (server !== undefined)
      await writeFile(join(parent.path, name, 'data/postmaster.pid'), `${server}\n/dev/shm/data\n`)
  }
  const own = basename(await makeOwnFolder(parent.path, 'test-mirror'))
  await make(`headcount-test-pglite-${gone}-abcdef`)
  await make(`headcount-postgres-${gone}-abcdef`)
  await make(`headcount-postgres-${gone}-ghijkl`, gone)
  // Of a time when folders named no owner.
  await make('headcount-postgres-mnopqr', gone)
  const kept = [`headcount-postgres-${living}-abcdef`, 'headcount-test-mirror-123456', `other-${gone}-abcdef`]
  for (const name of kept) await make(name)
  await make(`headcount-postgres-${living}-begins`, gone)
  await make(`headcount-postgres-${gone}-serves`, living)
  await make('headcount-postgres-stuvwx', living)
  // PGlite's.
  await make('headcount-test-new-uvwxyz', -42)
  await removeLeftovers(parent.path)
  expect((await readdir(parent.path)).toSorted()).toEqual(
    [
      ...kept,
      own,
      `headcount-postgres-${living}-begins`,
      `headcount-postgres-${gone}-serves`,
      'headcount-postgres-stuvwx',
      'headcount-test-new-uvwxyz',
    ].toSorted(),
  )
})
