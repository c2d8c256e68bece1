import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { connect } from '../../../src/db/connect.ts'
import type { Database } from '../../../src/db/connect.ts'
import { requireDiskSpace } from '../../../src/db/pglite/disk-space.ts'
import { sync } from '../../../src/index.ts'
import { accountOf, responsesFrom } from '../../support/accounts/account.ts'
import { run } from '../../support/commands/command.ts'
import { copyDataDir } from '../../support/files/copy-folder.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { FULL_DISK, fillDiskOf } from '../../support/databases/full-disk.ts'
import { startPostgres } from '../../support/databases/postgres.ts'
import { testKey } from '../../support/http/reading.ts'

const cli = inject('command')
/** A file system of 150 MB of one's own, which a user may have in a namespace of his own. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

// A server of its own: a checkpoint that another test asks for meanwhile would end the server of all.
test.skipIf(!existsSync(FULL_DISK))(
  'D5 the disk of the server is full while a batch is written: exit 5 with what to do, all is kept, and with room again the next run is exact',
  async ({ task }) => {
    task.meta.engines = ['postgres']
    const { url, stop } = await startPostgres()
    await using opened = new AsyncDisposableStack()
    opened.defer(stop)
    const service = opened.use(await startFaultServer())
    const account = accountOf({ gala: 3 })
    service.always(send((request) => account.answer(request)))
    const database = opened.use(await connect(`${url}/mirror_template`))
    const options = { database: `${url}/mirror_template`, apiKey: testKey, baseUrl: service.baseUrl.href }
    const responses = () => ask(database, 'select id::int from headcount.responses order by id')

    await sync(options)
    account.of('gala').splice(0, 1)
    account.of('gala').push(...responsesFrom(4, 2))
    await using disk = await fillDiskOf(database, 'headcount.response_history')
    await expect(sync(options)).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(/No space left on device.*free space, then run again/) as string,
      report: { status: 'failed' },
    })
    expect(await responses()).toEqual([[1], [2], [3]])
    await disk.free()
    expect(await sync(options)).toMatchObject({ status: 'succeeded' })
    expect(await responses()).toEqual([[2], [3], [4], [5]])
  },
)

async function ask(database: Database, statement: string): Promise<readonly (readonly unknown[])[]> {
  return (await database.transaction((trx) => trx.query(statement), { readOnly: true })).rows
}

test.skipIf(!canMount)(
  'D5 the disk of a PGlite folder is full: exit 5 before anything is written, and with room again the run is exact',
  async ({ task }) => {
    task.meta.engines = ['pglite']
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
         ${count}; echo "exit $?"
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
        /no space left on device.*The disk is full.*\n.*is full: \d+ MB are free, 64 MB are needed[^]*nothing was read/i,
      ),
    })
    expect(stdout.replaceAll(/\s/g, '')).toMatch(/^exit5exit5exit5exit0.*"responses":"3"/)
  },
  60_000,
)

test('D5 a batch for which the disk has no room is not begun', async () => {
  await requireDiskSpace(tmpdir(), { contentBytes: 0 })
  await expect(requireDiskSpace(tmpdir(), { contentBytes: 1e18 })).rejects.toThrow(
    /is full.*Free space, then run again/,
  )
})

test.skipIf(!existsSync('/proc/self/limits'))(
  'D5 files as large as those of PGlite may not be written (ulimit -f): exit 5 with what to do, and the mirror is as it was',
  async ({ task }) => {
    task.meta.engines = ['pglite']
    const parent = await makeOwnFolder(tmpdir(), 'test-file-size')
    const folder = join(parent, 'data')
    copyDataDir(inject('embeddedTemplate'), folder)
    const env = { DATABASE_URL: `pglite:${folder}` }
    const within = (limit: string) =>
      run(
        'sh',
        ['-c', `ulimit -f ${limit}; exec timeout -k 1 60 "$@"`, 'sh', process.execPath, cli, 'status'],
        {
          env,
        },
      )
    // In blocks of 512 bytes, as POSIX has it, or of 1024.
    expect(await within('2000')).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(/files of [12]\.\d MB at most \(ulimit -f\).*Raise the limit/) as string,
    })
    expect(await within('32768')).toMatchObject({ code: 0, stderr: '' })
    await rm(parent, { recursive: true })
  },
)
