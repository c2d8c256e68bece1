/** A backup holds the whole mirror, a restore makes the same mirror of it, and a file that is not whole makes none. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { packTar, unpackTar } from 'modern-tar'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import {
  backupMirror,
  createKey,
  createLink,
  erasePerson,
  exportSuppressions,
  InvalidBackupError,
  listKeys,
  listLinks,
  moveMirror,
  restoreMirror,
  revokeKey,
  revokeLink,
  type SuppressionFile,
} from '../../../../src/index.ts'
import { engines, freshPlace, type Place } from '../../../support/databases/databases.ts'
import { applyUpTo, change } from '../../../support/databases/older-schema.ts'
import {
  blankTarget,
  fillMirror,
  keepOpen,
  readRows,
  type FilledMirror,
} from '../../../support/outputs/transfer/filled-mirror.ts'
import { optionOf, type Target } from '../../../support/runs/stage.ts'
import { openSource, SNAPSHOT } from '../../../../src/outputs/transfer/database/source.ts'
import type { BackupManifest } from '../../../../src/outputs/transfer/file/manifest.ts'
import { writeBackup } from '../../../../src/outputs/transfer/file/write-backup.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headcount-test-backup-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe.each(engines)('a backup of %s', (from) => {
  let filled: FilledMirror
  let file: string
  let made: Awaited<ReturnType<typeof backupMirror>>
  let rows: Awaited<ReturnType<typeof readRows>>
  let here: Awaited<ReturnType<FilledMirror['sync']>>
  beforeAll(async () => {
    filled = await fillMirror(from)
    file = join(folder, `of-${from}.tar.gz`)
    made = await backupMirror({ ...optionOf(filled.target), file })
    rows = await readRows(filled.target)
    here = await filled.sync(filled.target)
  })
  afterAll(() => filled[Symbol.asyncDispose]())

  // Each engine gives once and takes once.
  const to = from === 'postgres' ? 'pglite' : 'postgres'
  test(`restored to ${to} is the same mirror, and the next run reads what it would have read before`, async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    await using place = await freshPlace(to, { blank: true })
    const restored = await restoreMirror({ database: place.url, file })
    expect(restored.tables).toEqual(
      made.tables.map(({ table, rows: n, checksum }) => ({ table, rows: n, checksum })),
    )
    expect(restored.readers).toEqual([
      { role_name: 'board', with_personal: false },
      { role_name: 'reporting', with_personal: true },
    ])
    await using opened = new AsyncDisposableStack()
    const target = await keepOpen(place, opened)
    expect(await readRows(target)).toEqual(rows)
    const there = await filled.sync(target)
    expect(there.requests).toEqual(here.requests)
    expect(there.report.run_id).toBe(here.report.run_id)
  })
})

describe('a backup', () => {
  let filled: FilledMirror
  let file: string
  let blank: Place
  beforeAll(async () => {
    filled = await fillMirror('postgres')
    blank = await freshPlace('postgres', { blank: true })
    file = join(folder, 'mirror.tar.gz')
    await backupMirror({ database: filled.place.url, file })
  })
  afterAll(async () => {
    await filled[Symbol.asyncDispose]()
    await blank[Symbol.asyncDispose]()
  })
  const other = (name: string) => join(folder, name)
  const tablesOf = async (url: string) => {
    await using database = await connect(url)
    const { rows } = await database.transaction((trx) =>
      trx.query(`select count(*)::int from pg_tables where schemaname = 'headcount'`),
    )
    return rows[0]?.[0]
  }
  const refusal = async (path: string) => {
    const error = await restoreMirror({ database: blank.url, file: path }).then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(await tablesOf(blank.url)).toBe(0)
    if (!(error instanceof Error)) throw new Error('it was restored')
    return error
  }

  /** Some bits of a compressed file mean nothing. */
  const isSameContent = (changed: Buffer, content: Buffer) => {
    try {
      return gunzipSync(changed).equals(gunzipSync(content))
    } catch {
      return false
    }
  }

  test('is a tar that other programs read, with a manifest at its end', async () => {
    const entries = await unpackTar(gunzipSync(await readFile(file)))
    const manifest = JSON.parse(Buffer.from(entries.at(-1)?.data ?? []).toString()) as BackupManifest
    expect(entries.at(-1)?.header.name).toBe('manifest.json')
    expect(manifest).toMatchObject({
      kind: 'headcount backup',
      format: 1,
      engine: 'postgres',
      accounts: ['default', 'second'],
    })
    for (const { table, sha256, bytes, rows } of manifest.tables) {
      const content = Buffer.concat(
        entries
          .filter(({ header }) => header.name.startsWith(`${table}/`))
          .map(({ data }) => data ?? Buffer.of()),
      )
      expect({ table, bytes, sha256, rows }).toEqual({
        table,
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        rows: content.toString().split('\n').length - 1,
      })
    }
    expect(JSON.stringify(manifest)).not.toContain('canary')
  })

  test('that is cut short anywhere is refused before anything is written', async () => {
    const { size } = await stat(file)
    for (const length of [0, 10, Math.floor(size / 2), size - 9, size - 1]) {
      await writeFile(other('short.tar.gz'), await readFile(file))
      await truncate(other('short.tar.gz'), length)
      const error = await refusal(other('short.tar.gz'))
      expect(error).toBeInstanceOf(InvalidBackupError)
      expect(error.message).toMatch(
        /^The backup .*short\.tar\.gz is damaged .*Nothing was restored\. Take another copy/,
      )
    }
  })

  test('of which a byte was changed is refused, and the table is named', async () => {
    const content = await readFile(file)
    for (let at = 12; at < content.length; at += Math.ceil(content.length / 40)) {
      const changed = Buffer.from(content)
      changed[at] = (changed[at] ?? 0) ^ 0x10
      if (isSameContent(changed, content)) continue
      await writeFile(other('changed.tar.gz'), changed)
      expect(await refusal(other('changed.tar.gz')), String(at)).toBeInstanceOf(InvalidBackupError)
    }
    const entries = await unpackTar(gunzipSync(content))
    const packed = await packTar(
      entries.map((entry) =>
        entry.header.name.startsWith('events/')
          ? {
              ...entry,
              data: Buffer.from(
                Buffer.from(entry.data ?? [])
                  .toString()
                  .replace('Event 7', 'Event 8'),
              ),
            }
          : entry,
      ),
    )
    await writeFile(other('changed.tar.gz'), gzipSync(packed))
    expect((await refusal(other('changed.tar.gz'))).message).toContain(
      'is damaged in the table events: it has 22 rows there and had 22, or a row was changed',
    )
    const without = await packTar(entries.filter(({ header }) => !header.name.startsWith('slots/')))
    await writeFile(other('changed.tar.gz'), gzipSync(without))
    expect((await refusal(other('changed.tar.gz'))).message).toContain(
      'is damaged in the table slots: it has 0 rows',
    )
  })

  test('is no other file', async () => {
    await writeFile(other('notes.txt'), 'mine')
    expect((await refusal(other('notes.txt'))).message).toContain('or it is no compressed file')
    await writeFile(
      other('notes.tar.gz'),
      gzipSync(await packTar([{ header: { name: 'a.txt', size: 1 }, body: 'a' }])),
    )
    expect((await refusal(other('notes.tar.gz'))).message).toContain('is no backup of headcount')
    expect((await refusal(other('nowhere'))).message).toContain('cannot read the file')
    const database = `pglite:${other('never-made')}`
    await expect(restoreMirror({ database, file: other('notes.txt') })).rejects.toThrow(InvalidBackupError)
    expect(await readdir(folder)).not.toContain('never-made')
  })

  test.each([
    ['schema', /"schema": \d+/, '"schema": 900', /has schema 900, and this program knows them up to \d+\. /],
    ['format', /"format": 1/, '"format": 2', /is of the format 2, and this program reads them up to 1\. /],
  ])('of a newer program is refused: its %s', async (_, from, to, message) => {
    const entries = await unpackTar(gunzipSync(await readFile(file)))
    const newer = entries.map((entry) =>
      entry.header.name === 'manifest.json'
        ? (() => {
            const data = Buffer.from(
              Buffer.from(entry.data ?? [])
                .toString()
                .replace(from, to),
            )
            return { header: { ...entry.header, size: data.length }, data: new Uint8Array(data) }
          })()
        : entry,
    )
    await writeFile(other('newer.tar.gz'), gzipSync(await packTar(newer)))
    expect(await refusal(other('newer.tar.gz'))).toMatchObject({
      code: 'schema_version',
      message: expect.stringMatching(message) as string,
    })
  })

  test('is not restored to a database with a mirror, and is to a schema without an account', async () => {
    await expect(restoreMirror({ database: filled.place.url, file })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('is not empty: it has a mirror of default, second') as string,
    })
    await using migrated = await freshPlace('postgres')
    await (async () => {
      await using database = await migrated.open()
      await change(database, [`insert into headcount.readers values ('somebody', true)`])
    })()
    expect((await restoreMirror({ database: migrated.url, file })).accounts).toEqual(['default', 'second'])
    expect(await readRows(migrated.url)).toEqual(await readRows(filled.place.url))
  })

  test('replaces no file without force, and leaves none when it fails', async () => {
    await writeFile(other('mine.txt'), 'mine')
    const options = { database: filled.place.url, file: other('mine.txt') }
    await expect(backupMirror(options)).rejects.toMatchObject({ exitCode: 2 })
    expect(await readFile(other('mine.txt'), 'utf8')).toBe('mine')
    await backupMirror({ ...options, force: true })
    expect((await stat(other('mine.txt'))).mode & 0o777).toBe(0o600)
    await expect(backupMirror({ ...options, file: folder })).rejects.toMatchObject({ exitCode: 2 })
    await expect(backupMirror({ ...options, file: other('nowhere/a') })).rejects.toMatchObject({
      exitCode: 2,
      message: `backup: there is no folder ${other('nowhere')}: make it first (mkdir -p), or name a file in another one`,
    })
    expect((await readdir(folder)).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('takes the place of no device, pipe or folder, also by force, and is read from none', async () => {
    const place = await mkdtemp(join(folder, 'no-file-'))
    const pipe = join(place, 'pipe')
    expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
    await symlink(pipe, join(place, 'to-pipe'))
    await symlink(join(place, 'nowhere'), join(place, 'to-nothing'))
    const refusals: readonly (readonly [string, string])[] = [
      [pipe, 'is no regular file: write it to a file, then copy it'],
      [join(place, 'to-pipe'), 'is no regular file: write it to a file, then copy it'],
      [join(place, 'to-nothing'), 'is a link to nothing: name the file itself'],
      [place, `is a folder: name a file in it, like ${join(place, 'mirror.tar.gz')}`],
    ]
    for (const [path, message] of refusals) {
      await expect(
        backupMirror({ database: filled.place.url, file: path, force: true }),
        path,
      ).rejects.toMatchObject({ exitCode: 2, message: `backup: ${path} ${message}` })
    }
    expect((await readdir(place)).toSorted()).toEqual(['pipe', 'to-nothing', 'to-pipe'])
    expect((await lstat(pipe)).isFIFO()).toBe(true)
    for (const path of [place, pipe, join(place, 'to-pipe')]) {
      expect(await refusal(path)).toMatchObject({
        exitCode: 2,
        message: `restore: ${path} is no regular file: copy it to one first, and name that. Nothing was restored.`,
      })
    }
  })

  test('by the name of a link replaces the file behind it, and is restored by that name', async () => {
    const place = await mkdtemp(join(folder, 'link-'))
    await mkdir(join(place, 'disk'))
    await writeFile(join(place, 'disk/real.tar.gz'), 'former')
    await symlink('disk/real.tar.gz', join(place, 'latest'))
    const options = { database: filled.place.url, file: join(place, 'latest') }
    await expect(backupMirror(options)).rejects.toMatchObject({ exitCode: 2 })
    await backupMirror({ ...options, force: true })
    expect((await lstat(join(place, 'latest'))).isSymbolicLink()).toBe(true)
    expect((await readFile(join(place, 'disk/real.tar.gz'))).subarray(0, 2)).toEqual(Buffer.of(0x1f, 0x8b))
    expect(await readdir(join(place, 'disk'))).toEqual(['real.tar.gz'])
    await using target = await freshPlace('postgres', { blank: true })
    expect((await restoreMirror({ database: target.url, file: options.file })).accounts).toHaveLength(2)
  })

  test('clears what killed backups of any name left an hour ago, and nothing else', async () => {
    const place = await mkdtemp(join(folder, 'parts-'))
    const old = new Date(Date.now() - 4_000_000)
    const names = [
      'mirror-2026-11-01.tar.gz.0123456789abcdef.headcount.part',
      'mirror-2026-11-02.tar.gz.0123456789abcdef.headcount.part',
      'film.0123456789abcdef.part',
      'notes.part',
      'a.0123456789ABCDEF.headcount.part',
      '.0123456789abcdef.headcount.part',
    ]
    for (const name of names) await writeFile(join(place, name), '')
    for (const name of names.slice(1)) await utimes(join(place, name), old, old)
    await mkdir(join(place, 'folder.0123456789abcdef.headcount.part'))
    await utimes(join(place, 'folder.0123456789abcdef.headcount.part'), old, old)
    await backupMirror({ database: filled.place.url, file: join(place, 'mirror-2026-11-03.tar.gz') })
    expect((await readdir(place)).toSorted()).toEqual([
      '.0123456789abcdef.headcount.part',
      'a.0123456789ABCDEF.headcount.part',
      'film.0123456789abcdef.part',
      'folder.0123456789abcdef.headcount.part',
      'mirror-2026-11-01.tar.gz.0123456789abcdef.headcount.part',
      'mirror-2026-11-03.tar.gz',
      'notes.part',
    ])
  })

  test('of tables to which somebody added columns has none of these, and says so', async () => {
    await using own = await fillMirror('postgres')
    const { responses } = await readRows(own.target)
    await using database = await own.place.open()
    await change(database, [
      'alter table headcount.responses add column "Their note" text',
      `update headcount.responses set "Their note" = 'by hand'`,
      'alter table headcount.sync_runs add column host text not null default current_setting($$port$$)',
      'alter table headcount.payments add column cents numeric generated always as (amount * 100) stored',
      'create materialized view headcount."their summary" as select * from headcount.event_summary',
      'create view headcount.a_view as select * from headcount.responses',
      // What a tool that wants a key for each table adds.
      'alter table headcount.event_history add column number bigint generated always as identity primary key',
    ])
    const told: string[] = []
    const none = () => {}
    const logger = {
      debug: none,
      info: none,
      error: none,
      warn: (_: object, text: string) => void told.push(text),
    }
    const file = other('added.tar.gz')
    await backupMirror({ database: own.place.url, file, logger })
    expect(told).toContain(
      'Columns that headcount did not make are not copied: responses.Their note, payments.cents, event_history.number, sync_runs.host',
    )
    expect(told).toContain(
      'Tables and views that headcount did not make are not copied: a_view, their summary. They stand in the schema headcount, and go when that is dropped',
    )
    await using target = await freshPlace('postgres', { blank: true })
    await restoreMirror({ database: target.url, file })
    expect(responses).not.toEqual([])
    expect((await readRows(target.url))['responses']).toEqual(responses)
    await using moved = await freshPlace('postgres', { blank: true })
    await moveMirror({ database: own.place.url, to: moved.url })
    expect((await readRows(moved.url))['responses']).toEqual(responses)
  })

  test('of an older schema is restored, and brought to the present one', async () => {
    await using old = await freshPlace('postgres', { blank: true })
    const older = other('older.tar.gz')
    await (async () => {
      await using database = await old.open()
      await applyUpTo(database, 22)
      await change(database, [
        `insert into headcount.accounts (name) values ('default')`,
        `insert into headcount.sync_runs (account_id, mode, status) values (1, 'sync', 'running')`,
        `insert into headcount.sync_state (account_id, event_id, etag) values (1, '', '"x"')`,
      ])
      await database.transaction(
        async (trx) =>
          writeBackup(older, await openSource(trx, new AbortController().signal), {
            engine: 'postgres',
            signal: new AbortController().signal,
          }),
        SNAPSHOT,
      )
    })()
    await using target = await freshPlace('postgres', { blank: true })
    expect(await restoreMirror({ database: target.url, file: older })).toMatchObject({ schema: 22 })
    const rows = await readRows(target.url)
    expect(rows['sync_state']).toEqual([expect.stringContaining('"rewrite_due": false')])
    expect(rows['sync_runs']).toEqual([expect.stringContaining('"status": "abandoned"')])
    expect(Object.keys(rows)).toContain('suppressions')
    await using migrated = await freshPlace('postgres')
    await expect(restoreMirror({ database: migrated.url, file: older })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /has the schema of version \d+ already, and the copy is of version 22.*drop schema/,
      ) as string,
    })
  })
})

/** A mirror with Ada, its backup, and the list of after her erasure. */
async function eraseAfterBackup(opened: AsyncDisposableStack) {
  const filled = opened.use(await fillMirror('postgres'))
  const file = join(folder, 'erased.tar.gz')
  const personKey = 'a key of the suppression list, long enough'
  await backupMirror({ database: filled.place.url, file, force: true })
  const own = { database: filled.place.url, account: 'default' }
  await erasePerson({ ...own, email: 'ada@example.org', personKey })
  return { filled, file, personKey, own, list: await exportSuppressions(own) }
}

const ofAda = async (target: Target) =>
  JSON.stringify((await readRows(target))['responses']).includes('Ada@Example.org')

describe('whom a backup brings back', () => {
  test('is erased again by the suppression list from after it', async () => {
    await using opened = new AsyncDisposableStack()
    const { filled, file, personKey, list } = await eraseAfterBackup(opened)
    const target = await blankTarget('postgres', opened)
    const restored = await restoreMirror({ ...optionOf(target), file, suppressions: [list], personKey })
    expect(restored.erasures[0]).toEqual({
      account: 'default',
      in_backup: 0,
      unfinished: 0,
      in_list: 1,
      erased_since: 1,
    })
    expect(restored.receipts).toMatchObject([{ status: 'succeeded', erased: { responses: 1 } }])
    expect(await ofAda(target)).toBe(false)
    expect(JSON.stringify((await readRows(target))['response_history'])).not.toContain('Ada@Example.org')
    const { report } = await filled.sync(target, { personKey, all: true })
    expect(report.events).toMatchObject({ failed: 0 })
    expect(await ofAda(target)).toBe(false)
  })

  test('is there without the list, and is known by the ids of the responses when the key was replaced', async () => {
    await using opened = new AsyncDisposableStack()
    const { file, own } = await eraseAfterBackup(opened)
    const without = await blankTarget('postgres', opened)
    const back = await restoreMirror({ ...optionOf(without), file })
    expect(back.erasures).toEqual([
      { account: 'default', in_backup: 0, unfinished: 0, in_list: null, erased_since: 0 },
      { account: 'second', in_backup: 2, unfinished: 1, in_list: null, erased_since: 0 },
    ])
    expect(await ofAda(without)).toBe(true)

    const newKey = 'another key, for the first one is lost'
    await erasePerson({ ...own, email: 'bob@example.org', personKey: newKey, replaceKey: true })
    const later = await exportSuppressions(own)
    const byIds = await blankTarget('postgres', opened)
    const { erasures } = await restoreMirror({
      ...optionOf(byIds),
      file,
      suppressions: [later],
      personKey: newKey,
    })
    expect(erasures[0]).toEqual({
      account: 'default',
      in_backup: 0,
      unfinished: 0,
      in_list: 2,
      erased_since: 2,
    })
    expect(await ofAda(byIds)).toBe(false)
  })
})

describe('what was revoked after a backup', () => {
  test('opens the restored mirror again, and is counted; what had expired or was revoked before is not', async () => {
    await using filled = await fillMirror('postgres')
    await using opened = new AsyncDisposableStack()
    const target = optionOf(await blankTarget('postgres', opened))
    const own = { ...optionOf(filled.target), account: 'default' }
    const key = await createKey(own)
    const link = await createLink({ ...own, view: 'events', format: 'csv' })
    const revokedBefore = await createKey(own)
    await revokeKey({ ...own, id: revokedBefore.id })
    const file = join(folder, 'revoked.tar.gz')
    await backupMirror({ ...own, file })
    await revokeKey({ ...own, id: key.id })
    await revokeLink({ ...own, id: link.id })
    expect(await restoreMirror({ ...target, file })).toMatchObject({
      active_keys: 2,
      active_links: 1,
    })
    const active = (listed: readonly { readonly id: number; readonly state: string }[]) =>
      listed.flatMap(({ id, state }) => (state === 'active' ? [id] : []))
    expect(active(await listKeys(target))).toEqual([1, key.id])
    expect(active(await listLinks(target))).toEqual([link.id])
  })
})

describe('a suppression list', () => {
  test('of an unknown account, or with another key, restores nothing', async () => {
    await using filled = await fillMirror('postgres')
    await using target = await freshPlace('postgres', { blank: true })
    const file = join(folder, 'refused.tar.gz')
    await backupMirror({ database: filled.place.url, file })
    const options = { database: target.url, file, personKey: 'a key of the suppression list, long enough' }
    const list = (account: string) => ({
      headcount_suppressions: 1 as const,
      account,
      key_check: null,
      suppressions: [],
    })
    await expect(restoreMirror({ ...options, suppressions: [list('third')] })).rejects.toMatchObject({
      exitCode: 2,
      message:
        'The option `suppressions[0]` is the list of account "third", and the backup has no account "third"; it has default, second. ' +
        'Nothing was restored. If the account was renamed since the backup, change "account" in the list to the name that it had then.',
    })
    // The list in the backup was made with another key.
    await expect(
      restoreMirror({ ...options, suppressions: [list('default'), list('second')] }),
    ).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(
        /^The option `suppressions\[1\]`: of account "second" the backup has 1 person on its own list .* restore without this list, and then run: .*person erase --suppressions FILE --account second --replace-key\./,
      ) as string,
    })
    const entry = { email_hash: '0f'.repeat(32), added_at: '2026-01-01T00:00:00Z', responses: [] }
    const other: SuppressionFile = { ...list('second'), key_check: 'x', suppressions: [entry] }
    await expect(restoreMirror({ ...options, suppressions: [list('default'), other] })).rejects.toMatchObject(
      {
        exitCode: 2,
        message: expect.stringMatching(
          /^The option `suppressions\[1\]`: it was made with another key \(key_check\) than that of `personKey`\./,
        ) as string,
      },
    )
    await using database = await connect(target.url)
    const { rows } = await database.transaction((trx) =>
      trx.query(`select from pg_namespace where nspname = 'headcount'`),
    )
    expect(rows).toEqual([])
  })
})
