/** The command that writes tables and views to files, as its user calls it. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { DEFAULT_VIEWS, EXPORTABLE } from '../../../../src/outputs/export/select-views.ts'
import type { ExportManifest } from '../../../../src/index.ts'
import { eventColumn, OF_THE_PAST } from '../../../../src/mirror/answers/event-rows.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { inShell, scriptPath } from '../../../support/commands/command.ts'
import {
  commandStage,
  onBothCommandStages,
  onPostgresCommandStage,
  type CommandStage,
} from '../../../support/commands/command-stage.ts'
import { send } from '../../../support/http/fault-server.ts'
import { lockTable } from '../../../support/databases/locks.ts'

const account = () => {
  const made = accountOf({ gala: 15, picnic: 3 })
  made.of('gala').push(responseItem(90, { name: 'Ada Lovelace', email: 'ada@example.org', message: 'hello' }))
  return made
}

describe('export', () => {
  let s: CommandStage
  let parent: string
  let out: string
  beforeAll(async () => {
    s = await commandStage('postgres', account())
    expect((await s.run(['sync', '-q'])).code).toBe(0)
  })
  afterAll(() => s[Symbol.asyncDispose]())
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    out = join(parent, 'files')
  })
  afterEach(() => rm(parent, { recursive: true, force: true }))

  const manifestOf = async () =>
    JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as ExportManifest
  const shell = (line: string) => inShell(line, { env: s.env })

  test('writes the live tables and the summaries, and a manifest that tells what they are', async () => {
    const ran = await s.run(['export', '--out', out])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('responses.csv')
    expect(ran.stdout).toMatch(
      /11 files in .*files, and manifest.json\naccount default: as of run 1, which ended \d{4}-/,
    )
    const manifest = await manifestOf()
    expect(manifest.files.map(({ view }) => view)).toEqual(DEFAULT_VIEWS)
    expect((await readdir(out)).toSorted()).toEqual(
      [...manifest.files.map(({ file }) => file), 'manifest.json'].toSorted(),
    )
    for (const { file, rows, bytes, sha256 } of manifest.files) {
      const content = await readFile(join(out, file))
      expect(bytes).toBe(content.length)
      expect(sha256).toBe(createHash('sha256').update(content).digest('hex'))
      expect(rows, file).toBe(content.toString().split('\n').length - 2)
    }
    expect(manifest).toMatchObject({
      kind: 'headcount export',
      with_personal: true,
      account: null,
      event: null,
      left_out: [],
      removed: [],
      accounts: [{ account: 'default', run: '1', run_status: 'succeeded' }],
    })
  })

  test('is written again on the next day: other files go, files of others stay', async () => {
    expect((await s.run(['export', '--out', out, '-q'])).stdout).toBe('')
    await writeFile(join(out, 'notes.txt'), 'mine')
    const before = await manifestOf()
    const again = await s.run(['export', '--out', out, '--json', '--view', 'events', 'payments'])
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(again.stdout)).toEqual(await manifestOf())
    expect((await readdir(out)).toSorted()).toEqual([
      'events.csv',
      'manifest.json',
      'notes.txt',
      'payments.csv',
    ])
    const sameFile = (manifest: ExportManifest) => manifest.files.find(({ view }) => view === 'events')
    expect(sameFile(await manifestOf())).toEqual(sameFile(before))
    expect((await s.run(['export', '--out', out, '--view', 'events', '--format', 'ndjson'])).code).toBe(0)
    expect((await readdir(out)).toSorted()).toEqual(['events.ndjson', 'manifest.json', 'notes.txt'])
  })

  test('refuses a file in place of a folder', async () => {
    await writeFile(out, 'mine')
    const ran = await s.run(['export', '--out', out, '--format', 'xlsx'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toBe(
      `headcount: export: ${out} is no folder. Name a new folder, or an empty one: each table or view becomes a file in it.\n`,
    )
    expect(await readFile(out, 'utf8')).toBe('mine')
  })

  test('refuses a folder with other files, and takes one with hidden files alone', async () => {
    await mkdir(out)
    await writeFile(join(out, '.DS_Store'), '')
    await writeFile(join(out, 'manifest.json'), '{"name":"a web page"}')
    const ran = await s.run(['export', '--out', out])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toBe(
      `headcount: export: the folder ${out} is not empty, and holds no export of headcount (manifest.json). Name a new folder, or an empty one.\n`,
    )
    await rm(join(out, 'manifest.json'))
    expect((await s.run(['export', '--out', out, '--view', 'events'])).code).toBe(0)
    await writeFile(join(out, 'payments.csv'), 'mine')
    const replacing = await s.run(['export', '--out', out, '--view', 'payments'])
    expect(replacing.code).toBe(2)
    expect(replacing.stderr).toContain('payments.csv is no file of the former export, and would be replaced')
    expect(await readFile(join(out, 'payments.csv'), 'utf8')).toBe('mine')
    for (const name of ['events.csv', 'manifest.json']) {
      const pipe = join(out, name)
      await rm(pipe)
      expect(spawnSync('mkfifo', [pipe]).status).toBe(0)
      const piped = await s.run(['export', '--out', out, '--view', 'events'])
      expect(piped).toMatchObject({ code: 2, stdout: '' })
      expect(piped.stderr).toContain(`${name} is no regular file, and would be replaced. Move it away`)
      expect((await lstat(pipe)).isFIFO()).toBe(true)
      await rm(pipe)
    }
  })

  test.each([
    [['--view', 'respones'], 'there is no table or view "respones" (did you mean responses?)'],
    [['--view', 'api_keys'], 'there is no table or view "api_keys"'],
    [
      ['--view', 'events', '--without-personal', '--view', 'set_aside'],
      'set_aside is personal data as a whole; without personal data there are: changes, event_changes, event_respondents, event_summary, events, ',
    ],
    [['--event', 'galla'], 'The mirror has no event "galla" (did you mean gala?)'],
    [['--event', 'gala', '--view', 'respondents'], 'respondents has no rows of one event: leave --event out'],
    [['--account', 'other'], 'The mirror has no account "other"; it has default.'],
    [['--format', 'pdf'], '--format must be one of csv, ndjson, xlsx, parquet, not "pdf"'],
    [['--format', 'xlsx', '--safe-csv'], '--safe-csv is for csv: the format is xlsx'],
  ])('%j is refused, and leaves nothing', async (flags, message) => {
    const ran = await s.run(['export', '--out', out, ...flags])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(await readdir(parent)).toEqual([])
  })

  test('of one event has its rows alone, and says which views it leaves out', async () => {
    const ran = await s.run(['export', '--out', out, '--event', 'picnic'])
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stdout).toContain('left out, for their rows are of no event: respondents, payments_by_month\n')
    const { files, left_out, event } = await manifestOf()
    expect({ event, left_out }).toEqual({ event: 'picnic', left_out: ['respondents', 'payments_by_month'] })
    expect(Object.fromEntries(files.map(({ view, rows }) => [view, rows]))).toMatchObject({
      events: 1,
      responses: 3,
      event_summary: 1,
    })
    for (const { file } of files) expect(await readFile(join(out, file), 'utf8')).not.toContain('gala')
  })

  test('without personal data has the same files with no name, address or message in them', async () => {
    const personal = /lovelace|ada@|hello|guest/i
    const views = EXPORTABLE.filter(
      (view) => !['response_documents', 'set_aside', 'event_history', 'response_history'].includes(view),
    )
    expect((await s.run(['export', '--out', out, '-q'])).code).toBe(0)
    expect(await readFile(join(out, 'responses.csv'), 'utf8')).toMatch(personal)
    expect((await stat(join(out, 'responses.csv'))).mode & 0o777).toBe(0o600)
    const ran = await s.run(['export', '--out', out, '--without-personal', '--view', ...views])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { files, with_personal } = await manifestOf()
    expect(with_personal).toBe(false)
    expect(files.map(({ file }) => file)).toEqual(views.map((view) => `${view}.csv`))
    for (const { file } of files) expect(await readFile(join(out, file), 'utf8'), file).not.toMatch(personal)
    expect((await stat(join(out, 'responses.csv'))).mode & 0o777).toBe(0o644 & ~process.umask())
    expect(files.find(({ view }) => view === 'responses')?.rows).toBe(19)
  })

  test('writes one view to stdout', async () => {
    const ran = await s.run(['export', '--out', '-', '--view', 'events', '--format', 'ndjson'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(
      ran.stdout
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)).id),
    ).toEqual(['gala', 'picnic'])
    const two = await s.run(['export', '--out', '-', '--view', 'events', 'slots'])
    expect(two).toMatchObject({ code: 2, stdout: '' })
    expect(two.stderr).toBe('headcount: export: --out - takes one --view\n')
    expect((await s.run(['export', '--out', '-', '--view', 'events', '--json'])).code).toBe(2)
    expect((await s.run(['export', '--out', '-', '--view', 'respondents', '--event', 'gala'])).code).toBe(2)
  })

  test.each(['csv', 'ndjson', 'xlsx', 'parquet'])(
    'to a reader who has enough, as %s, ends quietly with 0',
    async (format) => {
      const args = `--view responses --format ${format}`
      const reader = await shell(
        `{ sleep 2; $HEADCOUNT export --out - ${args}; echo "code $?" >&2; } | head -c 0`,
      )
      expect(reader).toMatchObject({ stdout: '', stderr: 'code 0\n' })
    },
  )

  test('a full disk ends it with 1 and leaves no file', async () => {
    // A limit of the size of a file fails as a full disk does, in the middle of the file.
    const ran = await shell(`ulimit -f 1; $HEADCOUNT export --out ${out} --view responses`)
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toMatch(
      /^headcount: export: the file .*responses\.csv could not be written: EFBIG.*\. Raise the largest/,
    )
    expect(await readdir(parent)).toEqual([])
    const full = await shell('$HEADCOUNT export --out - --view responses > /dev/full')
    expect(full).toMatchObject({ code: 1 })
    expect(full.stderr).toMatch(
      /^headcount: The output could not be written: .*ENOSPC.*\. Free space there, or write to another disk\.$/m,
    )
  })

  test('a signal in its midst leaves the former export as it was', async () => {
    expect((await s.run(['export', '--out', out, '-q'])).code).toBe(0)
    const before = await readFile(join(out, 'manifest.json'), 'utf8')
    await using database = await connect(s.place.url)
    for (const [signal, code] of [
      ['SIGTERM', 143],
      ['SIGINT', 130],
    ] as const) {
      const ran = await (async () => {
        await using _ = await lockTable(database, 'payments')
        return await s.run(['export', '--out', out], {
          meanwhile: async (child) => {
            await expect
              .poll(() => readdir(out), { timeout: 20_000 })
              .toContainEqual(expect.stringMatching(/^payments.*\.part$/))
            child.kill(signal)
            await once(child, 'exit')
          },
        })
      })()
      expect(ran).toMatchObject({ code, stdout: '', stderr: `headcount: interrupted by ${signal}\n` })
      expect((await readdir(out)).filter((name) => name.endsWith('.part'))).toEqual([])
      expect(await readFile(join(out, 'manifest.json'), 'utf8')).toBe(before)
    }
  })

  test('one that was killed leaves files without their names, and a later one clears them away', async () => {
    await using database = await connect(s.place.url)
    await (async () => {
      await using _ = await lockTable(database, 'payments')
      await s.run(['export', '--out', out], {
        meanwhile: async (child) => {
          await expect
            .poll(() => readdir(out).catch(() => []), { timeout: 20_000 })
            .toContainEqual(expect.stringMatching(/^payments.*\.part$/))
          child.kill('SIGKILL')
        },
      })
    })()
    const left = (await readdir(out)).filter((name) => name !== 'headcount.lock')
    expect(left).toHaveLength(3)
    expect(left.every((name) => name.endsWith('.part'))).toBe(true)
    expect((await s.run(['export', '--out', out, '-q', '--view', 'events'])).code).toBe(0)
    expect((await readdir(out)).toSorted()).toEqual([...left, 'events.csv', 'manifest.json'].toSorted())
    for (const name of left) await utimes(join(out, name), new Date(), new Date(Date.now() - 4_000_000))
    expect((await s.run(['export', '--out', out, '-q', '--view', 'events'])).code).toBe(0)
    expect((await readdir(out)).toSorted()).toEqual(['events.csv', 'manifest.json'])
  })

  test('is of one moment, though a run writes meanwhile', async () => {
    await using database = await connect(s.place.url)
    const ran = await (async () => {
      await using _ = await lockTable(database, 'payments')
      const exporting = s.run(['export', '--out', out, '--view', 'payments', 'events', '--json'])
      await expect
        .poll(() => readdir(out).catch(() => []), { timeout: 20_000 })
        .toContainEqual(expect.stringMatching(/^payments/))
      await sleep(200)
      await database.transaction((trx) => trx.query(`update headcount.events set title = 'Later'`))
      return exporting
    })()
    expect(ran.code).toBe(0)
    expect(await readFile(join(out, 'events.csv'), 'utf8')).not.toContain('Later')
    await database.transaction((trx) => trx.query(`update headcount.events set title = 'The ' || id`))
  })

  test.skipIf(scriptPath === null)('shows how far it is on a terminal, and no workbook', async () => {
    const ran = await s.onTerminal(['export', '--out', out])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/exporting \w+\.csv \(\d+ of 11\)/)
    const refused = await s.onTerminal(['export', '--out', '-', '--view', 'events', '--format', 'xlsx'])
    expect(refused.code).toBe(2)
    expect(refused.stdout).toContain('export: xlsx is no text for a terminal')
  })
})

onBothCommandStages('export of one event', (stage) => {
  test('has the history of one that was removed, but nothing live of it', async () => {
    const made = account()
    await using s = await stage(made)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    made.remove('picnic')
    expect((await s.run(['sync', '-q', '--accept-deletions'])).code).toBe(0)
    const exported = (event: string, ...views: readonly string[]) =>
      s.run(['export', '--out', '-', '--format', 'ndjson', '--event', event, '--view', ...views])
    const history = await exported('picnic', 'event_changes')
    expect(history).toMatchObject({ code: 0, stderr: '' })
    expect(history.stdout).toMatch(/"event_id":"picnic"/)
    const rowsOfPicnic = EXPORTABLE.map(
      (view) =>
        `select '${view}' as view where exists (
           select from ${view} v where to_jsonb(v) ->> '${eventColumn(view)}' = 'picnic')`,
    )
    const found = await s.run(['query', rowsOfPicnic.join(' union all '), '--format', 'csv'])
    expect(found.stdout.trimEnd().split('\n').slice(1).toSorted()).toEqual(OF_THE_PAST)
    const live = await exported('picnic', 'responses')
    expect(live).toMatchObject({ code: 2, stdout: '' })
    expect(live.stderr).toContain('The mirror has no event "picnic"')
    const never = await exported('picknick', 'event_changes')
    expect(never.code).toBe(2)
    const titles = await exported('gala', 'events_without_personal')
    expect(titles).toMatchObject({ code: 0, stderr: '' })
    expect(
      titles.stdout
        .trimEnd()
        .split('\n')
        .map((line) => Object(JSON.parse(line)).id),
    ).toEqual(['gala'])
  })
})

onPostgresCommandStage('export of two accounts', (stage) => {
  test('has the rows of one when it is named', async () => {
    await using s = await stage(account())
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    expect((await s.run(['sync', '-q', '--account', 'second', '--new-account'])).code).toBe(0)
    const parent = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    const rowsOf = async (...flags: readonly string[]) => {
      const ran = await s.run([
        'export',
        '--out',
        join(parent, 'files'),
        '--json',
        '--format',
        'parquet',
        ...flags,
      ])
      expect(ran).toMatchObject({ code: 0, stderr: '' })
      const { files, accounts } = JSON.parse(ran.stdout) as ExportManifest
      return { names: accounts.map(({ account: name }) => name), rows: files.map(({ rows }) => rows) }
    }
    const both = await rowsOf()
    const one = await rowsOf('--account', 'second')
    expect(both.names).toEqual(['default', 'second'])
    expect(one.names).toEqual(['second'])
    expect(one.rows.map((rows) => rows * 2)).toEqual(both.rows)
    await rm(parent, { recursive: true })
  })
})

onPostgresCommandStage('export after a run that failed', (stage) => {
  test('says how that run ended', async () => {
    await using on = await stage(account())
    await on.run(['sync', '-q'])
    on.service.next(send({ status: 401 }))
    expect((await on.run(['sync', '-q'])).code).toBe(3)
    const parent = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    const ran = await on.run(['export', '--out', join(parent, 'files'), '--view', 'events'])
    expect(ran.stdout).toMatch(/account default: as of run 2 \(failed\), which ended /)
    await rm(parent, { recursive: true })
  })
})
