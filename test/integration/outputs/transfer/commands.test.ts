/** The commands move, backup and restore, as their users call them, and what is left when something ends them. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { inShell, scriptPath, type Ran } from '../../../support/commands/command.ts'
import { commandStage, type CommandStage } from '../../../support/commands/command-stage.ts'
import { startServe, urlOf } from '../../../support/commands/process.ts'
import { freshPlace, onServer, type Place } from '../../../support/databases/databases.ts'
import { FULL_DISK, fillDiskOf } from '../../../support/databases/full-disk.ts'
import { countLockWaits } from '../../../support/databases/locks.ts'
import { change } from '../../../support/databases/older-schema.ts'
import { startPostgres } from '../../../support/databases/postgres.ts'
import { readRows, rowsOf } from '../../../support/outputs/transfer/filled-mirror.ts'

const account = () => accountOf({ gala: 400, picnic: 30, thing: 3 })

/** A suppression list with one of its entries. */
const withOnly = (list: string, at: number) => {
  const document = JSON.parse(list) as { suppressions: unknown[] }
  return JSON.stringify({ ...document, suppressions: [document.suppressions[at]] })
}

/** A session that lets others read a table, and not write to it. */
async function withoutWriters<T>(
  url: string,
  lock: string,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  await using database = await connect(url)
  const locked = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const holding = database.transaction(
    async (trx) => {
      await trx.query(lock)
      locked.resolve()
      await ended.promise
    },
    { idleTimeoutMs: 0 },
  )
  await Promise.race([locked.promise, holding])
  try {
    return await work(database)
  } finally {
    ended.resolve()
    await holding
  }
}

/** Resolves when a session of the database waits for a lock. */
async function waiting(database: Database): Promise<void> {
  await expect.poll(() => countLockWaits(database), { timeout: 120_000 }).toBeGreaterThan(0)
}

describe('the commands', () => {
  let s: CommandStage
  let target: Place
  let folder: string
  let before: Awaited<ReturnType<typeof readRows>>
  beforeAll(async () => {
    s = await commandStage('postgres', account())
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    before = await readRows(s.place.url)
    await (async () => {
      await using database = await s.place.open()
      await change(database, [`insert into headcount.readers values ('board', false), ('it''s', true)`])
    })()
  })
  afterAll(() => s[Symbol.asyncDispose]())
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'headcount-test-move-'))
    target = await freshPlace('postgres', { blank: true })
  })
  afterEach(async () => {
    await unmark()
    await rm(folder, { recursive: true, force: true })
    await target[Symbol.asyncDispose]()
  })

  /** The source is as it was, and may be moved. */
  const expectUnharmed = async () => {
    const { sync_runs: runs, ...rows } = await readRows(s.place.url)
    const { sync_runs: formerRuns, ...former } = before
    expect(rows).toEqual(former)
    const isRun = (row: unknown) =>
      !String(row).includes('"mode": "move"') && !String(row).includes('"mode": "backup"')
    expect(runs?.filter(isRun)).toEqual(formerRuns?.filter(isRun))
    await using database = await s.place.open()
    expect((await database.transaction((trx) => trx.query('select from headcount.moved'))).rows).toEqual([])
  }
  const namespaces = async () => {
    await using database = await target.open()
    const { rows } = await database.transaction((trx) =>
      trx.query(`select from pg_namespace where nspname like 'headcount%'`),
    )
    return rows.length
  }
  const unmark = async () => {
    await using database = await s.place.open()
    await change(database, ['delete from headcount.moved'])
  }

  test('move tells what it moved and what is left to do, and marks the mirror', async () => {
    const ran = await s.run(['move', '--to', target.url])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/responses +433\n/)
    const words = ran.stdout.replaceAll(/\s+/g, ' ')
    expect(words).toMatch(
      /Moved default to Postgres at 127\.0\.0\.1:\d+\/mirror_\w+; both databases have the same rows/,
    )
    // In the new database, whose URL has a password.
    expect(words).toContain('headcount --database … readers add board --without-personal --apply')
    expect(words).toContain(`headcount --database … readers add 'it'\\''s' --apply`)
    expect(await readRows(target.url)).toEqual(before)

    for (const args of [
      ['sync'],
      ['backfill'],
      ['keys', 'create'],
      ['accounts', 'rename', 'default', 'other'],
      ['accounts', 'remove', 'default', '--yes'],
      ['prune', '--history-before', '2020-01-01'],
      ['rejects', 'accept', '12345678'],
      ['slot-targets', 'set', '--wanted', '3'],
      ['rsvp-meanings', 'set', 'ja', 'coming'],
      ['readers', 'add', 'somebody', '--apply'],
      ['move', '--to', 'pglite:./elsewhere'],
    ]) {
      // Of these a folder may come to be, where the process is.
      const refused = await s.run(args, args[0] === 'move' ? { cwd: folder } : {})
      expect(refused, args.join(' ')).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr.replaceAll(/\s+/g, ' ')).toMatch(
        /This mirror was moved to Postgres at 127\.0\.0\.1:\d+\/mirror_\w+ on \d{4}-.*--force/,
      )
    }
    expect((await readRows(s.place.url))['accounts']).toEqual(before['accounts'])
    expect(await readdir(folder)).toEqual([])
    expect(await s.run(['worker'])).toMatchObject({ code: 2 })
    const doctor = await s.run(['doctor'])
    expect(doctor.code).toBe(2)
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toContain('failed schema This mirror was moved to')
    expect((await s.run(['sync', '--dry-run', '-q'])).code).toBe(0)
    expect((await s.run(['status'])).code).toBe(0)
    expect((await s.run(['slot-targets', 'set', '--wanted', '3', '--force'])).code).toBe(0)
    expect((await s.run(['slot-targets', 'remove', '--force'])).code).toBe(0)
    expect((await s.run(['sync', '-q', '--force'])).code).toBe(0)
    before = await readRows(s.place.url)
  })

  test('no password of a database is told or stored', async () => {
    await onServer(`create role mover superuser login password 'canary-passw0rd'`)
    const withPassword = target.url.replace('postgres:postgres@', 'mover:canary-passw0rd@')
    expect(withPassword).toContain('canary-passw0rd')
    const ran = await s.run(['move', '--to', withPassword, '--json'])
    expect(ran.code).toBe(0)
    const all = [ran.stdout, ran.stderr, (await s.run(['sync'])).stderr]
    await using database = await s.place.open()
    const { rows } = await database.transaction((trx) => trx.query('select moved_to from headcount.moved'))
    expect(JSON.stringify([all, rows])).not.toContain('canary-passw0rd')
    expect(String(rows)).toMatch(/^Postgres at /)
    await unmark()
    const wrong = await s.run(['move', '--to', withPassword.replace(/:\d+\//, ':1/')])
    expect(wrong.code).toBe(5)
    expect(wrong.stderr).not.toContain('canary-passw0rd')
  })

  test.each([
    [
      'a database with another mirror',
      () => s.place.url,
      /is this very database, or a run is in progress there/,
    ],
    ['no address', () => 'mysql://x', /--to must begin with postgres:\/\/ or pglite:/],
  ])('move to %s is refused', async (_, to, message) => {
    const ran = await s.run(['move', '--to', to()])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(message)
    await expectUnharmed()
  })

  test('move to a database that is not empty is refused', async () => {
    await using other = await commandStage('postgres', accountOf({ other: 1 }))
    expect((await other.run(['sync', '-q'])).code).toBe(0)
    await (async () => {
      await using database = await other.place.open()
      await change(database, [`update headcount.person_id_secret set secret = sha256('other')`])
    })()
    const ran = await s.run(['move', '--to', other.place.url])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/is not empty: it has a mirror of default\. Nothing was changed/)
    await expectUnharmed()
  })

  test('a run in progress ends it with 9, and a dead one is taken over', async () => {
    await using database = await s.place.open()
    await change(database, [
      `insert into headcount.sync_runs (account_id, mode, status) values (1, 'sync', 'running')`,
    ])
    const runs = [
      ['move', '--to', target.url],
      ['move', '--to', `pglite:${join(folder, 'copy')}`],
      ['backup', join(folder, 'a')],
    ]
    for (const args of runs) {
      const ran = await s.run(args)
      expect(ran).toMatchObject({ code: 9, stdout: '' })
      expect(ran.stderr).toContain('Another run holds account default: sync')
    }
    await change(database, [
      `insert into headcount.accounts (id, name) overriding system value values (2, 'north')`,
      `update headcount.sync_runs set account_id = 2 where status = 'running'`,
    ])
    for (const args of runs)
      expect((await s.run(args)).stderr).toContain('Another run holds account north: sync')
    expect(await readdir(folder)).toEqual([])
    await change(database, [
      `delete from headcount.sync_runs where status = 'running'`,
      'delete from headcount.accounts where id = 2',
    ])
    await expectUnharmed()
  })

  describe.each(['SIGKILL', 'SIGTERM'] as const)('%s', (signal) => {
    const code = signal === 'SIGTERM' ? 143 : null
    const expectEnded = (ran: Ran) => {
      expect(ran.code).toBe(code)
      if (signal === 'SIGTERM') expect(ran.stderr).toMatch(/headcount: interrupted by SIGTERM\n$/)
    }

    test.each([
      ['while rows are copied', () => s.place.url, 'lock table headcount.slots in access exclusive mode'],
      ['before the source is read', () => s.place.url, 'lock table headcount.accounts in row exclusive mode'],
    ])('during a move, %s, leaves nothing there and all here', async (moment, url, lock) => {
      let lastedMs = 0
      const ran = await withoutWriters(url(), lock, (database) =>
        s.run(['move', '--to', target.url], {
          meanwhile: async (child) => {
            await waiting(database)
            const killedAt = performance.now()
            child.kill(signal)
            await once(child, 'exit')
            lastedMs = performance.now() - killedAt
          },
        }),
      )
      // It does not wait for the lock, which would take five seconds.
      if (moment === 'while rows are copied') expect(lastedMs).toBeLessThan(4000)
      expectEnded(ran)
      await expect.poll(namespaces).toBe(0)
      await expectUnharmed()
      const again = await s.run(['move', '--to', target.url, '-q'])
      expect(again).toMatchObject({ code: 0, stdout: '' })
      expect(again.stderr).toMatch(signal === 'SIGKILL' ? /^$|Took over from run/ : /^$/)
      expect(await readRows(target.url)).toMatchObject({ responses: before['responses'] })
    })

    test('between the copy and the mark: the next move finds the copy and marks the mirror', async () => {
      const ran = await withoutWriters(s.place.url, 'lock table headcount.moved in share mode', (database) =>
        s.run(['move', '--to', target.url], {
          meanwhile: async (child) => {
            await waiting(database)
            child.kill(signal)
            await once(child, 'exit')
          },
        }),
      )
      if (signal === 'SIGKILL') expectEnded(ran)
      else expect(ran.code).toBe(143)
      const copied = await readRows(target.url)
      expect(copied).toMatchObject({ responses: before['responses'] })
      await unmark()
      await expectUnharmed()
      expect(await s.run(['move', '--to', target.url, '-q'])).toMatchObject({ code: 0 })
      expect(await readRows(target.url)).toEqual(copied)
      expect((await s.run(['sync'])).code).toBe(2)
      await unmark()
      await (async () => {
        await using database = await target.open()
        await change(database, [`update headcount.events set title = 'Later' where id = 'gala'`])
      })()
      const changed = await s.run(['move', '--to', target.url])
      expect(changed.code).toBe(2)
      expect(changed.stderr).toContain('it has a copy of this mirror, and one of both has changed since')
      await expectUnharmed()
    })

    test('during a backup leaves no file of that name', async () => {
      const file = join(folder, 'mirror.tar.gz')
      await writeFile(file, 'the former one')
      const ran = await withoutWriters(
        s.place.url,
        'lock table headcount.slots in access exclusive mode',
        (database) =>
          s.run(['backup', file, '--force'], {
            meanwhile: async (child) => {
              await waiting(database)
              child.kill(signal)
              await once(child, 'exit')
            },
          }),
      )
      expectEnded(ran)
      expect(await readFile(file, 'utf8')).toBe('the former one')
      const parts = (await readdir(folder)).filter((name) => name.endsWith('.part'))
      expect(parts).toHaveLength(signal === 'SIGKILL' ? 1 : 0)
      for (const name of parts) {
        expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
        await utimes(join(folder, name), new Date(), new Date(Date.now() - 4_000_000))
      }
      await expectUnharmed()
      expect((await s.run(['backup', file, '--force', '-q'])).code).toBe(0)
      expect(await readdir(folder)).toEqual(['mirror.tar.gz'])
    })
  })

  test('a restore that is killed leaves nothing, and the next one is whole', async () => {
    const file = join(folder, 'mirror.tar.gz')
    expect((await s.run(['backup', file, '-q'])).code).toBe(0)
    await using migrated = await freshPlace('postgres')
    const env = { DATABASE_URL: migrated.url }
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await withoutWriters(migrated.url, 'lock table headcount.sync_state in share mode', (database) =>
        s.run(['restore', file], {
          env,
          meanwhile: async (child) => {
            await waiting(database)
            child.kill(signal)
            await once(child, 'exit')
          },
        }),
      )
      expect((await readRows(migrated.url))['accounts']).toEqual([])
    }
    expect((await s.run(['restore', file, '-q'], { env })).code).toBe(0)
    expect(await readRows(migrated.url)).toMatchObject({ responses: before['responses'] })
  })

  test('whom a suppression list names stays erased, also when the restore is killed before it has erased them', async () => {
    const file = join(folder, 'mirror.tar.gz')
    const env = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list, long enough' }
    expect((await s.run(['backup', file, '-q'])).code).toBe(0)
    await using other = await freshPlace('postgres', { blank: true })
    expect((await s.run(['restore', file, '-q'], { env: { DATABASE_URL: other.url } })).code).toBe(0)
    const there = { env: { ...env, DATABASE_URL: other.url } }
    const emails = ['guest1@example.org', 'guest2@example.org']
    for (const email of emails)
      expect((await s.run(['person', 'erase', email, '--yes', '--no-vacuum'], there)).code).toBe(0)
    const { stdout } = await s.run(['person', 'suppressions', '--json'], there)
    // One list has the one person, another one the other.
    const lists = [0, 1].map((at) => join(folder, `list${at}.json`))
    for (const [at, list] of lists.entries()) await writeFile(list, withOnly(stdout, at))

    await using migrated = await freshPlace('postgres')
    const here = { env: { ...env, DATABASE_URL: migrated.url } }
    const holds = async () => {
      const rows = JSON.stringify((await readRows(migrated.url))['responses'])
      return emails.map((email) => rows.includes(email))
    }
    await (async () => {
      await using database = await migrated.open()
      await change(database, [
        `create function headcount.wait() returns trigger language plpgsql as
           'begin perform pg_advisory_xact_lock(77); return new; end'`,
        `create trigger wait before insert on headcount.sync_runs
           for each row when (new.mode = 'erase') execute function headcount.wait()`,
      ])
    })()
    const ran = await withoutWriters(migrated.url, 'select pg_advisory_xact_lock(77)', (database) =>
      s.run(['restore', file, ...lists.flatMap((list) => ['--suppressions', list])], {
        ...here,
        meanwhile: async (child) => {
          await waiting(database)
          child.kill('SIGKILL')
          await once(child, 'exit')
        },
      }),
    )
    expect(ran.code).toBe(null)
    expect((await readRows(migrated.url))['suppressions']).toHaveLength(2)
    expect(await holds()).toEqual([true, true])
    expect((await s.run(['sync', '-q'], here)).code).toBe(0)
    expect(await holds()).toEqual([false, false])
  })

  test('restore names the list that it refuses, and what it says to do helps', async () => {
    const file = join(folder, 'mirror.tar.gz')
    const list = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return ['--suppressions', join(folder, name)]
    }
    const key = { HEADCOUNT_PERSON_KEY: 'a key of the suppression list, long enough' }
    expect((await s.run(['backup', file, '-q'])).code).toBe(0)
    await using other = await freshPlace('postgres', { blank: true })
    const there = { env: { ...key, DATABASE_URL: other.url } }
    const done = async (args: readonly string[], options = there) => {
      const ran = await s.run(args, options)
      expect([ran.code, ran.stderr], args.join(' ')).toEqual([0, expect.anything() as unknown])
      return ran.stdout
    }
    await done(['restore', file, '-q'])
    const erase = (email: string, ...more: string[]) => [
      'person',
      'erase',
      email,
      '--yes',
      '--no-vacuum',
      ...more,
    ]
    await done(erase('guest1@example.org'))
    const one = await done(['person', 'suppressions', '--json'])
    await done(erase('guest2@example.org'))
    await done(['accounts', 'rename', 'default', 'org'])
    const two = await done(['person', 'suppressions', '--json'])

    const here = { env: { ...key, DATABASE_URL: target.url } }
    const first = await list('one.json', one)
    const refused = async (second: readonly string[], message: RegExp) => {
      const ran = await s.run(['restore', file, ...first, ...second], here)
      expect([ran.code, ran.stdout]).toEqual([2, ''])
      expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(message)
      expect(await namespaces()).toBe(0)
    }
    await refused(
      await list('two.json', two),
      /--suppressions "[^"]*\/two\.json" is the list of account "org", and the backup has no account "org"; it has default\. Nothing was restored\. If the account was renamed since the backup, change "account" in the list/,
    )
    await refused(
      await list('key.json', two.replace(/"key_check": ?"\w+"/, '"key_check": "x"')),
      /\/key\.json": it was made with another key/,
    )
    await refused(await list('empty.json', ''), /\/empty\.json": the file is empty/)
    await refused(await list('word.json', 'null'), /\/word\.json": it is no JSON object/)

    const renamed = await list('two.json', two.replace('"org"', '"default"'))
    const report = await done(['restore', file, ...first, ...renamed, '--json'], here)
    // One person stands on both lists.
    expect(JSON.parse(report)).toMatchObject({
      erasures: [{ account: 'default', in_backup: 0, unfinished: 0, in_list: 2, erased_since: 2 }],
      receipts: [{ status: 'succeeded' }, { status: 'succeeded' }],
    })

    // The key is replaced after another backup.
    const later = join(folder, 'later.tar.gz')
    await done(['backup', later, '-q'])
    const newKey = { HEADCOUNT_PERSON_KEY: 'another key, for the first one is lost' }
    await done(erase('guest3@example.org', '--replace-key'), { env: { ...there.env, ...newKey } })
    const three = await list('three.json', await done(['person', 'suppressions', '--json']))
    await using last = await freshPlace('postgres', { blank: true })
    const anew = { env: { ...newKey, DATABASE_URL: last.url } }
    const ran = await s.run(['restore', later, ...three], anew)
    expect(ran.code).toBe(2)
    expect(ran.stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /\/three\.json": of account "org" the backup has 2 people on its own list who were erased with another key than that of \w+\. Nothing was restored\. .* person erase --suppressions FILE --account org --replace-key\./,
    )
    await done(['restore', later, '-q'], anew)
    await done(['person', 'erase', ...three, '--account', 'org', '--replace-key', '--yes'], anew)
    const rows = JSON.stringify((await readRows(last.url))['responses'])
    expect([1, 2, 3, 4].map((at) => rows.includes(`guest${at}@example.org`))).toEqual([
      false,
      false,
      false,
      true,
    ])
  })

  test('a full disk ends a backup with 1 and leaves no file', async () => {
    const file = join(folder, 'mirror.tar.gz')
    // A limit of the size of a file fails as a full disk does, in the middle of the file.
    const ran = await inShell(`ulimit -f 1; $HEADCOUNT backup ${file}`, { env: s.env })
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(/^headcount: backup: the file .*mirror\.tar\.gz could not be written: EFBIG/)
    expect(await readdir(folder)).toEqual([])
    await expectUnharmed()
  })

  test('backup and restore tell what they did, and which erasures they cannot know of', async () => {
    const file = join(folder, 'mirror.tar.gz')
    const made = await s.run(['backup', file])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Backup of default in .*mirror\.tar\.gz, of .*person suppressions --json --account default Not in it: the rights of board, it's/,
    )
    expect((await s.run(['backup', file])).code).toBe(2)
    expect((await s.run(['backup', file, '--force', '-q'])).stdout).toBe('')
    const to = { env: { DATABASE_URL: target.url } }
    const restored = await s.run(['restore', file], to)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(restored.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Restored default from .* Nobody had been erased from account default when the backup was made\. Whoever was erased after .* is in this mirror again, and nothing in the backup tells who: .*person erase --suppressions FILE --account default/,
    )
    expect(restored.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /What was forgotten, left out or pruned after .* is in this mirror again, too: before headcount serve, run headcount sync with the same settings .* No key and no link opens this mirror\./,
    )
    expect(await readRows(target.url)).toMatchObject({ responses: before['responses'] })
    expect((await s.run(['restore', file], to)).code).toBe(2)
    const list = join(folder, 'list.json')
    await writeFile(
      list,
      '{"headcount_suppressions":1,"account":"default","key_check":null,"suppressions":[]}',
    )
    const env = { DATABASE_URL: `pglite:${join(folder, 'data')}` }
    const noKey = await s.run(['restore', file, '--suppressions', list], { env })
    expect(noKey.code).toBe(2)
    expect(noKey.stderr).toContain('HEADCOUNT_PERSON_KEY_FILE')
    expect((await s.run(['restore', file, '--suppressions', join(folder, 'none')], { env })).code).toBe(2)
    expect(existsSync(join(folder, 'data'))).toBe(false)
    const key = { ...env, HEADCOUNT_PERSON_KEY: 'a key of the suppression list, long enough' }
    const ofAnother = join(folder, 'other.json')
    await writeFile(ofAnother, (await readFile(list, 'utf8')).replace('default', 'org'))
    const refused = await s.run(['restore', '--suppressions', ofAnother, file], { env: key })
    expect([refused.code, existsSync(join(folder, 'data'))]).toEqual([2, false])
    await using other = await freshPlace('postgres', { blank: true })
    const withList = await s.run(['restore', '--suppressions', list, file, '--json'], {
      env: { ...key, DATABASE_URL: other.url },
    })
    expect(withList).toMatchObject({ code: 0 })
    expect(JSON.parse(withList.stdout)).toMatchObject({
      erasures: [{ account: 'default', in_backup: 0, unfinished: 0, in_list: 0, erased_since: 0 }],
    })
  })

  test('restore says whose erasure was not at its end, so that nobody serves their names meanwhile', async () => {
    const file = join(folder, 'mirror.tar.gz')
    await using database = await s.place.open()
    await change(database, [
      `insert into headcount.suppressions (account_id, email_hash, key_check)
       select id, sha256('one'), '0123456789abcdef' from headcount.accounts where name = 'default'`,
    ])
    expect((await s.run(['backup', file, '-q'])).code).toBe(0)
    await change(database, ['delete from headcount.suppressions where erased_at is null'])
    const to = { env: { DATABASE_URL: target.url } }
    expect((await s.run(['restore', file], to)).stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /1 person erased from account default before the backup stays erased\. The erasure of 1 of them was not at its end: the next headcount sync ends it before it reads anything; run it before headcount serve\. Whoever/,
    )
  })

  test('restore says how many keys and links open the mirror again', async () => {
    const file = join(folder, 'mirror.tar.gz')
    const made = await s.run(['keys', 'create', '--json'])
    const { id } = JSON.parse(made.stdout) as { readonly id: number }
    expect((await s.run(['backup', file, '-q'])).code).toBe(0)
    expect((await s.run(['keys', 'revoke', String(id)])).code).toBe(0)
    const restored = await s.run(['restore', file], { env: { DATABASE_URL: target.url } })
    expect(restored.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /1 key and 0 links open this mirror again, also those that were revoked after .* headcount keys and headcount links show them; revoke what shall stay closed with headcount keys revoke ID and headcount links revoke ID\./,
    )
    await using database = await s.place.open()
    await change(database, ['delete from headcount.api_keys'])
  })

  test.skipIf(scriptPath === null)('show how far they are on a terminal', async () => {
    const ran = await s.onTerminal(['backup', join(folder, 'a.tar.gz')])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/copying \w+|comparing every row/)
  })

  // A server of its own: a checkpoint that another test asks for meanwhile would end the server of all.
  test.skipIf(!existsSync(FULL_DISK))(
    'a full disk of the other server ends a move with 5, and leaves nothing there',
    async () => {
      const { url, stop } = await startPostgres()
      await using opened = new AsyncDisposableStack()
      opened.defer(stop)
      const to = `${url}/mirror_template`
      const database = opened.use(await connect(to))
      await using disk = await fillDiskOf(database, 'headcount.slots')
      await using own = await commandStage('postgres', account())
      expect((await own.run(['sync', '-q'])).code).toBe(0)
      await using source = await own.place.open()
      await change(source, [
        `insert into headcount.slots (account_id, event_id, response_id, position) values (1, 'gala', 1, 1)`,
      ])
      const ran = await own.run(['move', '--to', to])
      expect(ran).toMatchObject({ code: 5, stdout: '' })
      expect(ran.stderr).toMatch(/No space left on device.*free space, then run again/)
      await disk.free()
      const { rows } = await database.transaction((trx) => trx.query('select from headcount.accounts'))
      expect(rows).toEqual([])
      expect((await own.run(['move', '--to', to, '-q'])).code).toBe(0)
      expect(await readRows(to)).toEqual(await rowsOf(source))
    },
  )
})

describe('the former mirror after a move', () => {
  test('says in every output where it went, and the move that it still holds everything', async () => {
    await using s = await commandStage('postgres', account())
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    await using target = await freshPlace('pglite', { blank: true })
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-former-'))
    const statusOf = async () => {
      const { stdout } = await s.run(['status', '--json'])
      return JSON.parse(stdout) as { readonly accounts: readonly unknown[] }
    }
    expect(await statusOf()).toMatchObject({ accounts: [{ moved_to: null, moved_at: null }] })
    const calm = [
      await s.run(['status']),
      await s.run(['backup', join(folder, 'a.tar.gz')]),
      await s.run(['verify', '-q']),
    ]
    for (const { stdout, stderr } of calm) expect(stdout + stderr).not.toContain('moved')

    const moved = await s.run(['move', '--to', target.url])
    expect(moved.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Postgres at \S+ still holds all of it, also of people who are erased later: delete it once nothing uses it any more\. With Postgres drop schema headcount, headcount_internal cascade/,
    )
    expect(await statusOf()).toMatchObject({
      accounts: [
        {
          account: 'default',
          moved_to: expect.stringMatching(/^PGlite in /) as string,
          moved_at: expect.stringMatching(/^\d{4}-/) as string,
        },
      ],
    })
    const where =
      /was moved to PGlite in \S+ on \d{4}-\S+: what is here stays as it was then, and no run writes to it any more/
    expect((await s.run(['status'])).stdout.replaceAll(/\s+/g, ' ')).toMatch(where)
    const backup = await s.run(['backup', join(folder, 'b.tar.gz'), '-q'])
    expect(backup).toMatchObject({ code: 0, stderr: expect.stringMatching(where) as string })
    const verified = await s.run(['verify', '-q'])
    expect(verified.code).toBe(0)
    expect(verified.stderr.replaceAll(/\s+/g, ' ')).toMatch(where)
    const report: unknown = JSON.parse((await s.run(['verify', '--json', '-q'])).stdout)
    expect(report).toMatchObject({ status: 'equal', warnings: [expect.stringMatching(where)] })
    await using served = startServe([], { env: s.env })
    expect(await served.says('This mirror was moved to')).toMatchObject({
      level: 'warn',
      msg: expect.stringMatching(where) as string,
    })
    await urlOf(served)
    served.kill('SIGTERM')
    expect((await served.ended).code).toBe(0)
    await rm(folder, { recursive: true })
  })
})

/** A file system of one's own, which a user may have in a namespace of his own. */
const canMount = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

test.skipIf(!canMount)(
  'a full disk of a folder ends a move with 5 before it is full, and with room again it is whole',
  async () => {
    await using s = await commandStage('postgres', account())
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    await (async () => {
      await using database = await s.place.open()
      await change(database, [
        `insert into headcount.responses (account_id, event_id, id, kind, message, _run_id)
           select 1, 'gala', 1000 + n, 'reply', repeat('a message ', 150), 1 from generate_series(1, 24000) n`,
      ])
    })()
    const disk = await mkdtemp(join(tmpdir(), 'headcount-test-disk-'))
    const move = `$HEADCOUNT move --to "pglite:${disk}/data" -q`
    const ran = await inShell(
      `unshare -rm sh -c '
         mount -t tmpfs -o size=500m tmpfs "${disk}"
         head -c 365m /dev/zero > "${disk}/others"
         ${move}; echo "exit $?"
         rm "${disk}/others"
         ${move}; echo "exit $?"'`.replaceAll("'$HEADCOUNT'", '$HEADCOUNT'),
      { env: s.env },
    )
    await rm(disk, { recursive: true })
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/is full: \d+ MB are free, \d+ MB are needed/) as string,
    })
    expect(ran.stdout).toBe('exit 5\nexit 0\n')
  },
  120_000,
)

/** Between two servers kills at chosen moments are shown above, and what two folders do is what each of them does here. */
const kills = [
  ['postgres', 'pglite'],
  ['pglite', 'postgres'],
] as const

describe.each(kills)(
  'a move from %s to %s that is killed at some moment',
  { timeout: 300_000 },
  (from, to) => {
    test('leaves the target empty or whole, and goes on', async () => {
      await using s = await commandStage(from, account())
      expect((await s.run(['sync', '-q'])).code).toBe(0)
      const before = await readRows(s.place.url)
      await using target = await freshPlace(to, { missing: true })
      const args = ['move', '--to', target.url]
      const began = performance.now()
      for (const part of [0.4, 0.8]) {
        await s.run(args, {
          meanwhile: async (child) => {
            await sleep(3500 * part)
            child.kill('SIGKILL')
          },
        })
      }
      expect(performance.now() - began).toBeGreaterThan(500)
      const ran = await s.run([...args, '--force'])
      expect(ran.code).toBe(0)
      const [here, there] = from === 'postgres' ? ['Postgres at', 'PGlite in'] : ['PGlite in', 'Postgres at']
      const words = ran.stdout.replaceAll(/\s+/g, ' ')
      expect(words).toMatch(new RegExp(`${here} \\S+ still holds all of it`))
      expect(await readRows(target.url)).toEqual({ ...before, sync_runs: expect.anything() as unknown })
      const sync = await s.run(['sync'])
      expect(sync.code).toBe(2)
      expect(sync.stderr.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`was moved to ${there} `))
    })
  },
)
