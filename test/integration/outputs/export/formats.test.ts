/** What is in the files of an export, read back by programs that are not ours, is what the database says. */
import { readFileSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import readWorkbook, { readSheet } from 'read-excel-file/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ndjsonWriter } from '../../../../src/commands/output/query/json.ts'
import { connect, type Database } from '../../../../src/db/connect.ts'
import { readColumns } from '../../../../src/outputs/export/column.ts'
import { xlsx } from '../../../../src/outputs/export/formats/xlsx.ts'
import { DEFAULT_VIEWS, EXPORTABLE } from '../../../../src/outputs/export/select-views.ts'
import { exportViews, setAccount, type ExportFormat } from '../../../../src/index.ts'
import { engines, freshMirror, onServer } from '../../../support/databases/databases.ts'
import { askDuckdb } from '../../../support/files/duckdb.ts'
import { startWire, type Wire } from '../../../support/http/wire.ts'
import { answerTo } from '../../../support/mirror/query.ts'
import { optionOf } from '../../../support/runs/stage.ts'

const MOST = '9223372036854775807'
const LONG = 'long '.repeat(8000)

/** Quantities are written as numbers, whatever their size. */
const listText = (items: readonly object[]) => JSON.stringify(items).replaceAll(`"${MOST}"`, MOST)

const responses = (edited: boolean) => [
  {
    id: 1,
    name: '=HYPERLINK("http://evil.example")',
    email: 'ada@example.org',
    message: 'a "quoted", text\r\nwith _x0041_ and \\n\u0001\ufffe',
    quantity: MOST,
    rsvp: 'yes',
    created_at: '2026-07-01T22:30:00.123456Z',
    updated_at: '0001-01-01T00:00:00Z',
    amount: '12.5',
    processing_fee: '0.3333333',
    slots: [{ name: '', start_date: '9999-12-31T10:00:00+02:00', end_date: null, extra: [1, { a: 'b' }] }],
    phone: '😀',
  },
  {
    id: 900719925474099,
    name: '',
    message: edited ? LONG : 'short',
    amount: `${'9'.repeat(40)}.1`,
    rsvp: 'maybe',
  },
  ...(edited ? [] : [{ id: 3, name: 'goes' }]),
]

describe.each(engines)('an export (%s)', (engine) => {
  let wire: Wire
  let database: Database
  let folder: string
  beforeAll(async () => {
    wire = await startWire(engine)
    wire.bodies.set(
      '',
      '[{"id":"gala","title":"Gala","event_at":"9999-12-31T23:59:59Z"},{"id":"42","title":null,"event_at":"1900-01-01T12:00:00Z"}]',
    )
    for (const edited of [false, true]) {
      wire.bodies.set('gala', listText(responses(edited)))
      const { error } = await wire.sync({ all: true, acceptDeletions: true })
      expect(error).toBeNull()
    }
    await setAccount({ ...optionOf(wire.target), account: 'default', timeZone: 'Europe/Berlin' })
    database = await connect(wire.target)
    folder = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await database?.close()
    await wire?.[Symbol.asyncDispose]()
  })

  const exported = new Map<ExportFormat, ReturnType<typeof exportOnce>>()
  /** Once, however many tests read it. */
  const exportAll = (format: ExportFormat) => {
    const made = exported.get(format) ?? exportOnce(format)
    exported.set(format, made)
    return made
  }
  const exportOnce = async (format: ExportFormat) => {
    const out = join(folder, format)
    const manifest = await exportViews({ ...optionOf(wire.target), out, format, views: EXPORTABLE })
    expect(manifest.files.map(({ view }) => view)).toEqual(EXPORTABLE)
    return (view: string) => join(out, `${view}.${format}`)
  }
  const columnsOf = (view: string) =>
    database.transaction((trx) => readColumns(trx, view), { readOnly: true })

  /** The rows of a view as texts, each column as the expression says, in one order. */
  const textsOf = async (view: string, expression: (name: string, type: string) => string) => {
    const columns = (await columnsOf(view)).map(
      ({ name, type }) => `(${expression(`"${name}"`, type)})::text`,
    )
    const { rows } = await answerTo(database, `select ${columns.join(', ')} from headcount.${view}`)
    return sorted(rows)
  }
  const sorted = (rows: readonly (readonly unknown[])[]) => rows.map((row) => JSON.stringify(row)).toSorted()

  test('as CSV is what COPY says, NULL and the empty text apart', async () => {
    const fileOf = await exportAll('csv')
    for (const view of EXPORTABLE) {
      const names = (await columnsOf(view)).map(({ name }) => `"${name}"`)
      const options = `all_varchar = true, header = true, delim = ',', quote = '"', escape = '"', allow_quoted_nulls = false, max_line_size = 4000000, parallel = false`
      const read = await askDuckdb(`select ${names.join(', ')} from read_csv('${fileOf(view)}', ${options})`)
      expect(sorted(read), view).toEqual(await textsOf(view, (name, type) => asCopied(name, type)))
    }
  })

  test('as NDJSON is what query says', async () => {
    const fileOf = await exportAll('ndjson')
    for (const view of EXPORTABLE) {
      const writer = ndjsonWriter({ jsonNumbers: false, timeZone: null })
      const said = writer.part(await answerTo(database, `select * from headcount.${view}`))
      const objects = (text: string) =>
        text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.stringify(JSON.parse(line))]))
      expect(objects(await readFile(fileOf(view), 'utf8')).toSorted(), view).toEqual(objects(said).toSorted())
    }
  })

  test('as Parquet is what the database says, to DuckDB', async () => {
    const fileOf = await exportAll('parquet')
    for (const view of EXPORTABLE) {
      const columns = await columnsOf(view)
      const names = columns.map(({ name, type }) =>
        type.startsWith('timestamp')
          ? `epoch_us("${name}")::varchar`
          : isAmount(name, type)
            ? `"${name}_text"`
            : `"${name}"::varchar`,
      )
      const read = await askDuckdb(`select ${names.join(', ')} from read_parquet('${fileOf(view)}')`)
      expect(sorted(read), view).toEqual(
        await textsOf(view, (name, type) =>
          type.startsWith('timestamp')
            ? `(extract(epoch from ${name}) * 1000000)::bigint`
            : type.endsWith('[]')
              ? `to_json(${name})`
              : name,
        ),
      )
    }
  })

  test('as Parquet has types that stay, whatever the rows hold', async () => {
    const out = join(folder, 'typed')
    const views = ['responses', 'payments', 'slots', 'event_summary']
    await exportViews({ ...optionOf(wire.target), out, format: 'parquet', views, event: '42' })
    const typesOf = async (view: string) => {
      const file = join(out, `${view}.parquet`)
      return Object.fromEntries(
        await askDuckdb(`select column_name, column_type from (describe select * from '${file}')`),
      )
    }
    expect(await typesOf('payments')).toEqual({
      account_id: 'INTEGER',
      event_id: 'VARCHAR',
      response_id: 'BIGINT',
      amount: 'DECIMAL(38,6)',
      amount_text: 'VARCHAR',
      processing_fee: 'DECIMAL(38,6)',
      processing_fee_text: 'VARCHAR',
    })
    expect(await typesOf('slots')).toMatchObject({
      start_date: 'TIMESTAMP WITH TIME ZONE',
      start_local: 'TIMESTAMP',
    })
    expect(await typesOf('event_summary')).toMatchObject({
      event_day: 'DATE',
      complete: 'BOOLEAN',
      expected: 'DECIMAL(38,0)',
    })
  })

  test('as Parquet rounds an amount to six places, and has NULL where 38 digits do not hold it', async () => {
    const fileOf = await exportAll('parquet')
    const file = fileOf('payments')
    expect(
      await askDuckdb(
        `select amount, processing_fee, processing_fee_text from '${file}' order by response_id`,
      ),
    ).toEqual([
      ['12.500000', '0.333333', '0.3333333'],
      [null, null, null],
    ])
  })

  test('as a workbook has dates on the clock of the account, texts that never run, and long ids as text', async () => {
    const fileOf = await exportAll('xlsx')
    const [sheet] = await readWorkbook(fileOf('responses'))
    const [header = [], first = [], second = []] = sheet?.data ?? []
    const of = (row: readonly unknown[]) =>
      Object.fromEntries(header.map((name, at) => [String(name), row[at]]))
    expect(sheet?.sheet).toBe('responses')
    expect(of(first)).toMatchObject({
      id: 1,
      name: '=HYPERLINK("http://evil.example")',
      message: 'a "quoted", text\r\nwith _x0041_ and \\n\u0001\ufffd',
      quantity: MOST,
      created_at: new Date('2026-07-02T00:30:00.123Z'),
      updated_at: '0001-01-01 00:53:28',
    })
    expect(of(second)).toMatchObject({ id: 900_719_925_474_099, created_at: null })
    expect(String(of(second)['message'])).toHaveLength(32_767)
    const [summary] = await readWorkbook(fileOf('event_summary'))
    const [names = [], ...events] = summary?.data ?? []
    const timesOf = events.map((row) => ['event_at', 'event_day'].map((name) => row[names.indexOf(name)]))
    expect(timesOf).toEqual([
      ['1900-01-01 13:00:00', '1900-01-01'],
      ['10000-01-01 00:59:59', '10000-01-01'],
    ])
    const [slots] = await readWorkbook(fileOf('slots'))
    const slot = Object.fromEntries(
      (slots?.data[0] ?? []).map((name, at) => [String(name), slots?.data[1]?.[at]]),
    )
    expect(slot['start_local']).toEqual(new Date('9999-12-31T10:00:00Z'))
  })

  test('says how many texts a cell did not hold', async () => {
    const out = join(folder, 'cut')
    const { files } = await exportViews({
      ...optionOf(wire.target),
      out,
      format: 'xlsx',
      views: ['responses', 'events'],
    })
    expect(files).toMatchObject([{ file: 'responses.xlsx', cut_cells: 1 }, { file: 'events.xlsx' }])
    expect(files[1]).not.toHaveProperty('cut_cells')
  })

  test('of no known format is refused, and one that is stopped says so', async () => {
    const options = { ...optionOf(wire.target), out: join(folder, 'none') }
    await expect(exportViews({ ...options, format: JSON.parse('"doc"') as 'csv' })).rejects.toThrow(
      /The option `format` must be one of csv, ndjson, xlsx, parquet, not "doc"/,
    )
    await expect(exportViews({ ...options, signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'interrupted',
    })
  })

  test('as CSV for a spreadsheet has no text that it would run', async () => {
    const out = join(folder, 'safe')
    await exportViews({ ...optionOf(wire.target), out, views: ['responses'], safeCsv: true })
    const csv = await readFile(join(out, 'responses.csv'), 'utf8')
    expect(csv).toContain(`"'=HYPERLINK(""http://evil.example"")"`)
    expect(csv).not.toContain(',"=HYPERLINK')
    expect(csv.split('\n')[0]).toBe((await columnsOf('responses')).map(({ name }) => name).join(','))
  })
})

test('of a database that quotes all identifiers has no text that a spreadsheet would run, and the same types', async () => {
  await using wire = await startWire('postgres')
  wire.bodies.set('', '[{"id":"gala","title":"Gala","event_at":"2999-12-24T18:00:00Z"}]')
  wire.bodies.set('gala', listText(responses(false)))
  expect((await wire.sync()).error).toBeNull()
  const out = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
  const options = { ...optionOf(wire.target), views: ['responses'] }
  await exportViews({ ...options, out: join(out, 'before'), safeCsv: true })
  await onServer(`alter database ${new URL(wire.target).pathname.slice(1)} set quote_all_identifiers = on`)
  await exportViews({ ...options, out: join(out, 'after'), safeCsv: true })
  const [before, after] = await Promise.all(
    ['before', 'after'].map((name) => readFile(join(out, name, 'responses.csv'), 'utf8')),
  )
  expect(before).toContain(`'=HYPERLINK`)
  expect(after).toBe(before)
  await using changed = await connect(wire.target)
  expect(await changed.transaction((trx) => readColumns(trx, 'responses'))).toContainEqual({
    name: 'name',
    type: 'text',
  })
  await rm(out, { recursive: true })
})

const isAmount = (name: string, type: string) => type === 'numeric' && /amount|fee/.test(name)

/** As COPY writes a value: booleans by one letter. */
const asCopied = (name: string, type: string) =>
  type === 'boolean' ? `case ${name} when true then 't' when false then 'f' end` : name

describe('docs/spreadsheets.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/spreadsheets.md'), 'utf8')

  test('names what is exported when nothing is named', () => {
    const [, list = ''] = /names others than these: ([^]*?)\. History/.exec(page) ?? []
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual(DEFAULT_VIEWS)
  })

  test('asks DuckDB what DuckDB can answer', async () => {
    await using wire = await startWire('postgres')
    wire.bodies.set('', '[{"id":"gala","title":"Gala","event_at":"2999-12-24T18:00:00Z"}]')
    wire.bodies.set('gala', listText(responses(false)))
    expect((await wire.sync()).error).toBeNull()
    const out = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    await exportViews({ ...optionOf(wire.target), out, format: 'parquet' })
    const questions = [...page.matchAll(/^```sql\n([^]*?)^```$/gm)].map(([, sql = '']) => sql)
    const answers = await Promise.all(
      questions.map((sql) => askDuckdb(`set file_search_path = '${out}'; ${sql}`)),
    )
    expect(answers).toMatchObject([
      [['Gala', '2999-12-24', '9223372036854775808', '1']],
      expect.arrayContaining([[expect.any(String), '12.500000']]),
    ])
    await rm(out, { recursive: true })
  })
})

describe('a workbook of more rows than a sheet holds', () => {
  test('goes on in a further sheet, with the names of the columns', async () => {
    await using mirror = await freshMirror('postgres')
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-export-'))
    const path = join(folder, 'numbers.xlsx')
    const file = await open(path, 'wx')
    const source = { query: 'select generate_series(1, 1048577) as n', name: 'numbers' }
    const columns = [{ name: 'n', type: 'integer' }]
    const { rows } = await mirror.database.transaction((trx) =>
      xlsx.write({ trx, columns, ...source }, { write: (part) => file.writeFile(part) }),
    )
    await file.close()
    expect(rows).toBe(1_048_577)
    // The reader of workbooks calls itself for each chunk of a sheet, and on a busy machine it leaves the stack: what is in it is counted.
    const files = unzipSync(await readFile(path))
    const found = ['sheet1', 'sheet2'].map((sheet) => {
      const xml = Buffer.from(files[`xl/worksheets/${sheet}.xml`] ?? []).toString('latin1')
      return [xml.split('<row ').length - 1, xml.slice(-300).match(/.*<v>(\d+)<\/v>/s)?.[1]]
    })
    const workbook = Buffer.from(files['xl/workbook.xml'] ?? []).toString('utf8')
    expect([...workbook.matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name)).toEqual([
      'numbers',
      'numbers_2',
    ])
    // And takes long for a million rows: in place of the first sheet it finds the second one twice.
    const second = files['xl/worksheets/sheet2.xml'] ?? new Uint8Array()
    const short = zipSync({ ...files, 'xl/worksheets/sheet1.xml': second }, { level: 0 })
    expect(await readSheet(Buffer.from(short), 'numbers_2')).toEqual([['n'], [1_048_576], [1_048_577]])
    expect(found).toEqual([
      [1_048_576, '1048575'],
      [3, '1048577'],
    ])
    await rm(folder, { recursive: true })
  })
})
