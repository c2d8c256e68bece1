import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rename, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { requireRoom } from '../../src/db/room.ts'
import { accountOf, responsesFrom } from '../support/account.ts'
import { run } from '../support/command.ts'
import { send, startFaultServer } from '../support/fault-server.ts'
import { testKey } from '../support/reading.ts'
import { onPostgresStage } from '../support/stage.ts'
import type { Stage } from '../support/stage.ts'

/** The device on which every write fails as on a full disk. */
const full = '/dev/full'
const cli = join(import.meta.dirname, '../../src/cli.ts')
/** A file system of 150 MB of one's own, which a user may have in a namespace of his own. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

onPostgresStage('D5 the disk of the server is full', (stage) => {
  test.skipIf(!existsSync(full))(
    'while a batch is written: exit 5 with what to do, all is kept, and with room again the next run is exact',
    async () => {
      await using on = await stage(accountOf({ gala: 3 }))
      await on.sync()
      on.account.of('gala').splice(0, 1)
      on.account.of('gala').push(...responsesFrom(4, 2))
      const before = on.mirror.rows('responses')
      await using disk = await fillDiskOf(on, 'headcount.response_history')
      const { exit, error, status } = await on.sync()
      expect({ exit, status }).toEqual({ exit: 5, status: 'failed' })
      expect(error?.message).toMatch(/No space left on device.*free space, then run again/)
      expect(on.mirror.rows('responses')).toEqual(before)
      await disk.free()
      expect(await on.sync()).toMatchObject({ exit: 0 })
      on.expectMirrored()
    },
  )
})

/** Makes the file of an empty table one to which nothing can be written; the rest of the server goes on. */
async function fillDiskOf(
  on: Stage,
  table: string,
): Promise<AsyncDisposable & { free: () => Promise<void> }> {
  const [row] = await on.change(
    `select current_setting('data_directory') || '/' || pg_relation_filepath('${table}')`,
  )
  const file = String(row?.[0])
  await rename(file, `${file}.aside`)
  await symlink(full, file)
  const free = async () => {
    if (existsSync(`${file}.aside`)) await rename(`${file}.aside`, file)
  }
  return { free, [Symbol.asyncDispose]: free }
}

test.skipIf(!canMount)(
  'D5 the disk of a PGlite folder is full: exit 5 before anything is written, and with room again the run is exact',
  async ({ task }) => {
    task.meta.engines = ['embedded']
    await using service = await startFaultServer()
    const account = accountOf({ gala: 3 })
    service.always(send((request) => account.answer(request)))
    const disk = await mkdtemp(join(tmpdir(), 'headcount-test-disk-'))
    await chmod(disk, 0o700)
    const headcount = `"${process.execPath}" "${cli}"`
    const count = `${headcount} query 'select count(*) as responses from headcount.responses' --json`
    const { stdout, stderr, code } = await run(
      'unshare',
      [
        '-rm',
        'sh',
        '-c',
        `mount -t tmpfs -o size=150m tmpfs "${disk}"
         cp -r "${inject('embeddedTemplate')}" "${disk}/data"
         head -c 200m /dev/zero > "${disk}/others" 2> /dev/null
         ${headcount} sync; echo "exit $?"
         truncate -s 80m "${disk}/others"
         ${headcount} sync; echo "exit $?"
         rm "${disk}/others"
         ${count}
         ${headcount} sync -q; echo "exit $?"
         ${count}`,
      ],
      {
        env: {
          HEADCOUNT_BASE_URL: service.baseUrl.href,
          HEADCOUNT_API_KEY: testKey,
          DATABASE_URL: `pglite:${disk}/data`,
        },
      },
    )
    await rm(disk, { recursive: true })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /no space left on device.*The disk is full.*\n.*is full: \d+ MB are free, 64 MB are needed/,
      ),
    })
    expect(stdout.replaceAll(/\s/g, '')).toMatch(/^exit5exit5.*"responses":"0".*exit0.*"responses":"3"/)
  },
  60_000,
)

test('D5 a batch for which the disk has no room is not begun', async () => {
  await requireRoom(tmpdir(), { contentBytes: 0 })
  await expect(requireRoom(tmpdir(), { contentBytes: 1e18 })).rejects.toThrow(
    /is full.*Free space, then run again/,
  )
})
