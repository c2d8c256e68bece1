import { describe, expect, test } from 'vitest'
import { formatTimestamp } from '../../../src/commands/output/format/timestamp.ts'
import { queryResultWriter, type QueryFormat } from '../../../src/commands/output/query/result-writer.ts'
import type { ResultOptions } from '../../../src/commands/output/query/writer.ts'
import {
  stripControlChars,
  escapeControlCharsInJson,
  stripControlCharsInLine,
} from '../../../src/common/text/strip-control-chars.ts'
import { formatDuration } from '../../../src/common/text/format-duration.ts'
import { formatBytes, formatCount, formatNumber } from '../../../src/common/text/number.ts'
import { drawProgress, runProgress } from '../../../src/commands/terminal/progress.ts'
import { progressLine } from '../../../src/commands/terminal/progress-line.ts'
import {
  below,
  drawPairs,
  drawTable,
  listTable,
  type TableColumn,
  note,
  right,
  text,
} from '../../../src/commands/output/format/table.ts'
import { shorten } from '../../../src/common/text/fit-text.ts'
import type { QueryResult } from '../../../src/db/transaction.ts'
import type { Progress } from '../../../src/index.ts'

describe('X5 text from elsewhere is printed as text', () => {
  test('colours, cursor moves, titles and links of a terminal are taken out', () => {
    expect(stripControlChars('\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u009b1mend')).not.toMatch(
      /[\u001b\u009b\u0007]/,
    )
    expect(stripControlChars('\u001b[31mred\u001b[0m')).toBe('red')
  })

  test('control characters are shown, not sent', () => {
    expect(stripControlChars('a\u0007b\rc\u0085d\u007f')).toBe('a\\x07b\\x0dc\\x85d\\x7f')
  })

  test('marks that turn the direction of text around are shown', () => {
    expect(stripControlChars('invoice\u202etxt.exe')).toBe('invoice\\u202etxt.exe')
  })

  test('line feeds stay in a message and are shown in a cell', () => {
    expect([stripControlChars('a\n\tb'), stripControlCharsInLine('a\n\tb')]).toEqual(['a\n\tb', 'a\\n\\tb'])
  })

  test('names in any script stay as they are', () => {
    const names = 'Zoë Łukasz 佐藤 さくら עִבְרִית नमस्ते 👩‍👩‍👧 \u200fمرحبا'
    expect([stripControlChars(names), stripControlCharsInLine(names)]).toEqual([names, names])
  })

  test('JSON keeps its value', () => {
    const value = { a: '\u001b[31m\u009b\u007f\u202e\u2028ok' }
    const json = escapeControlCharsInJson(JSON.stringify(value))
    expect(json).not.toMatch(/[\u001b\u007f-\u009f\u202e\u2028]/)
    expect(JSON.parse(json)).toEqual(value)
  })
})

test.each([
  [0, '0 ms'],
  [812.4, '812 ms'],
  [1000, '1 s'],
  [4200, '4.2 s'],
  [9960, '10 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3 * 3_600_000 + 12 * 60_000, '3 h 12 min'],
  [9 * 86_400_000 + 4 * 3_600_000, '9 d 4 h'],
])('%d ms is said as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

test('counts are grouped, and exact beyond what a double holds', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567')
  expect(formatNumber('9007199254740993')).toBe('9,007,199,254,740,993')
  expect([formatCount(1, 'row'), formatCount(0, 'row'), formatCount(2, 'retry', 'retries')]).toEqual([
    '1 row',
    '0 rows',
    '2 retries',
  ])
  expect([formatBytes(0), formatBytes(812), formatBytes(4_200_000), formatBytes(2e15)]).toEqual([
    '0 bytes',
    '812 bytes',
    '4.2 MB',
    '2000 TB',
  ])
})

describe('a table', () => {
  test('is aligned by what a character takes on a terminal', () => {
    const rows = [
      ['佐藤', '1'],
      ['👩‍👩‍👧', '20'],
      ['Zoë', '300'],
    ]
    expect(drawTable(['name', right('n')], rows, { width: null })).toBe(
      ['name    n', '────  ───', '佐藤    1', '👩‍👩‍👧     20', 'Zoë   300', ''].join('\n'),
    )
  })

  test('is made to fit: the widest text gives way, a narrow one and what is no text do not', () => {
    const drawn = drawTable(['id', text('message')], [['12', 'x'.repeat(100)]], {
      width: 30,
    })
    expect(drawn.split('\n')[2]).toBe(`12  ${'x'.repeat(25)}…`)
  })

  test('is not shortened where there is no terminal', () => {
    const drawn = drawTable([text('message')], [['x'.repeat(1000)]], { width: null })
    expect(drawn).toContain('x'.repeat(1000))
  })

  test('wider than any terminal still shows something of every column', () => {
    const columns = Array.from({ length: 30 }, (_, at) => text(`column number ${at}`))
    const [head = ''] = drawTable(columns, [], { width: 80 }).split('\n')
    expect(head.match(/column …/g)).toHaveLength(30)
  })

  const style = (_: unknown, text: string) => text
  const byPlace = (columns: readonly TableColumn[]) =>
    columns.map((column, at) => [column, (row: readonly string[]) => row[at] ?? ''] as const)

  test('of a list that does not fit even with its texts shortened has a field a line, and no id is cut', () => {
    const columns = ['account', 'sha256', text('item')]
    const rows = [['north', 'f'.repeat(64), 'x'.repeat(30)]]
    expect(listTable({ width: 80, style }, rows, byPlace(columns))).toBe(
      ['─'.repeat(40), 'account  north', `sha256   ${'f'.repeat(64)}`, `item     ${'x'.repeat(30)}`, ''].join(
        '\n',
      ),
    )
    const [, , row = ''] = listTable({ width: 100, style }, rows, byPlace(columns)).split('\n')
    expect(row).toBe(`north    ${'f'.repeat(64)}  ${'x'.repeat(24)}…`)
  })

  test('a column that may stand below goes there where the table does not fit, whole', () => {
    const columns = ['day', text('event'), below('id'), right('expected')]
    const rows = [
      ['2026-12-05', 'Repair café', 'repair-cafe-2026-12-05', '54'],
      ['2026-12-11', 'Film evening', '', '105'],
    ]
    const lines = (width: number) => listTable({ width, style }, rows, byPlace(columns)).split('\n')
    expect(lines(60)[2]).toBe('2026-12-05  Repair café   repair-cafe-2026-12-05        54')
    expect(lines(38)).toEqual([
      'day         event         expected',
      '──────────  ────────────  ────────',
      '2026-12-05  Repair café         54',
      '  repair-cafe-2026-12-05',
      '2026-12-11  Film evening       105',
      '',
    ])
    expect(lines(20)[1]).toBe('day       2026-12-05')
  })

  test('a note is shortened in its column while the table fits, and goes below where it does not', () => {
    const columns = [text('name'), right('amount'), note('message')]
    const rows = [
      ['Ada Lovelace', '1,200.00', 'We come a little later, by train'],
      ['Ben', '8.00', ''],
      ['Cy', '9.00', 'See https://x.example/longer'],
    ]
    const lines = (width: number) => listTable({ width, style }, rows, byPlace(columns)).split('\n')
    expect(lines(40)[2]).toBe('Ada Lovelace  1,200.00  We come a littl…')
    expect(lines(22)).toEqual([
      'name            amount',
      '────────────  ────────',
      'Ada Lovelace  1,200.00',
      '  We come a little',
      '  later, by train',
      'Ben               8.00',
      'Cy                9.00',
      '  See',
      '  https://x.example/lo',
      '  nger',
      '',
    ])
  })

  test('pairs go on below themselves, by whole words', () => {
    expect(
      drawPairs({ width: 20 }, [
        ['held', 'one two three four'],
        ['left out', null],
        ['a', 'b'],
      ]),
    ).toBe('  held  one two\n        three four\n  a     b\n')
  })

  test('takes time in proportion to its rows', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => [`${at}`, 'Zoë 日本語'])
    const began = process.cpuUsage()
    drawTable(['n', 'name'], rows, { width: 20 })
    // Of the processor, so that a busy machine does not count, in µs.
    expect(process.cpuUsage(began).user).toBeLessThan(5_000_000)
  })

  test('cuts between characters, never inside one', () => {
    expect(shorten('日本語テキスト', 6)).toBe('日本…')
    expect(shorten('👩‍👩‍👧👩‍👩‍👧', 3)).toBe('👩‍👩‍👧…')
    expect(shorten('abc', 3)).toBe('abc')
    expect(shorten(`ab${'\u0301'.repeat(50_000)}`, 3)).toBe('a…')
    expect(shorten('a\u200b'.repeat(5).padEnd(50_000, '\u200b'), 5).length).toBeLessThan(100)
  })
})

type Out = Parameters<typeof queryResultWriter>[1]['out']

describe('the answer to a query', () => {
  const answer = {
    columns: [
      { name: 'id', type: 20 },
      { name: 'name', type: 25 },
    ],
    rows: [
      ['9007199254740993', '=1+1'],
      ['-5', '\u001b[31m, "quoted"\nsecond'],
      ['1', null],
    ],
    count: 3,
  }
  const style = (_: unknown, text: string) => text
  const pipe = { isTerminal: false, width: null, style }
  const terminal = { isTerminal: true, width: 80, style }
  const exact = { header: true, safeCsv: false, excel: null, jsonNumbers: false, timeZone: null }
  const inParts = (
    parts: readonly QueryResult[],
    as: QueryFormat,
    out = pipe as Out,
    options: Partial<ResultOptions> = {},
  ) => {
    const writer = queryResultWriter(as, { ...exact, out, ...options })
    return parts.map((part) => writer.part(part)).join('') + writer.end()
  }
  const format = (as: QueryFormat, out = pipe as Out, options: Partial<ResultOptions> = {}) =>
    inParts([answer], as, out, options)

  test('as json has columns and rows, integers as strings', () => {
    expect(JSON.parse(format('json'))).toEqual({
      columns: ['id', 'name'],
      rows: [
        { id: '9007199254740993', name: '=1+1' },
        { id: '-5', name: '\u001b[31m, "quoted"\nsecond' },
        { id: '1', name: null },
      ],
    })
  })

  test('as ndjson has one document a line', () => {
    const lines = format('ndjson').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as unknown)).toHaveLength(3)
  })

  test('as csv is exact in a pipe, and X5 cleaned on a terminal', () => {
    expect(format('csv')).toBe('id,name\n9007199254740993,=1+1\n-5,"\u001b[31m, ""quoted""\nsecond"\n1,\n')
    expect(format('csv', terminal)).not.toContain('\u001b')
  })

  test('as csv has its formulas made harmless only when asked', () => {
    expect(format('csv', pipe, { safeCsv: true })).toContain("9007199254740993,'=1+1\n-5,")
  })

  test('X5 as a table is clean, digits to the right, rows counted', () => {
    expect(format('table', terminal)).toBe(
      [
        '              id  name',
        '────────────────  ──────────────────',
        '9007199254740993  =1+1',
        '              -5  , "quoted"\\nsecond',
        '               1  ∅',
        '(3 rows)',
        '',
      ].join('\n'),
    )
  })

  test('as a table that does not fit the terminal has a field a line, and no cell is cut', () => {
    const narrow = { ...terminal, width: 30 }
    const rows = [
      ['1', 'Anna', 'a'.repeat(40)],
      ['2', null, ''],
    ]
    const columns = [...answer.columns, { name: 'message', type: 25 }]
    expect(inParts([{ columns, rows, count: 2 }], 'table', narrow)).toBe(
      [
        '── row 1 ─────────────────────',
        'id       1',
        'name     Anna',
        'message  aaaaaaaaaaaaaaaaaaaaa',
        '         aaaaaaaaaaaaaaaaaaa',
        '── row 2 ─────────────────────',
        'id       2',
        'name     ∅',
        'message',
        '(2 rows)',
        '',
      ].join('\n'),
    )
    expect(inParts([{ columns, rows, count: 2 }], 'table', { ...terminal, width: 60 })).toContain(
      ` 1  Anna  ${'a'.repeat(40)}\n`,
    )
  })

  test('NULL and an empty text are not the same in csv', () => {
    const odd = {
      columns: [
        { name: 'a', type: 25 },
        { name: 'b', type: 25 },
      ],
      rows: [[null, '']],
      count: 1,
    }
    expect(inParts([odd], 'csv')).toBe('a,b\n,""\n')
    expect(inParts([odd], 'csv', pipe, { header: false })).toBe(',""\n')
  })

  test('two columns of one name are numbered in JSON, around the names that are there', () => {
    const columns = ['id', 'id', 'id_2', 'id'].map((name) => ({ name, type: 23 }))
    const twice = { columns, rows: [[1, 2, 3, 4]], count: 1 }
    expect(JSON.parse(inParts([twice], 'ndjson'))).toEqual({ id: 1, id_3: 2, id_2: 3, id_4: 4 })
    expect(JSON.parse(inParts([twice], 'json'))).toMatchObject({ columns: ['id', 'id_3', 'id_2', 'id_4'] })
    expect(inParts([twice], 'csv')).toBe('id,id,id_2,id\n1,2,3,4\n')
  })

  test('bigint and numeric are numbers in JSON when that is wanted and no digit is lost', () => {
    const numbers = [
      '1',
      '-0.50',
      '9007199254740991',
      '9007199254740993',
      '0.1234567890123456',
      '120.00',
      'NaN',
    ]
    const columns = numbers.map((_, at) => ({ name: `n${at}`, type: at === 3 ? 20 : 1700 }))
    const row = { columns, rows: [numbers], count: 1 }
    expect(
      Object.values(JSON.parse(inParts([row], 'ndjson', pipe, { jsonNumbers: true })) as object),
    ).toEqual([1, -0.5, 9007199254740991, '9007199254740993', '0.1234567890123456', 120, 'NaN'])
    expect(inParts([row], 'ndjson')).toContain('"n0":"1"')
  })

  test('instants are those of the zone that is named, digits of a second and all', () => {
    const columns = [{ name: 'at', type: 1184 }]
    const rows = [['2026-07-01T22:30:00.123456Z'], ['2026-12-31T23:30:00Z'], ['infinity'], [null]]
    const result = { columns, rows, count: 4 }
    expect(inParts([result], 'csv', pipe, { timeZone: 'Europe/Berlin' })).toBe(
      'at\n2026-07-02T00:30:00.123456+02:00\n2027-01-01T00:30:00+01:00\ninfinity\n\n',
    )
    expect(inParts([result], 'ndjson', pipe, { timeZone: 'Asia/Kolkata' })).toContain(
      '{"at":"2026-07-02T04:00:00.123456+05:30"}',
    )
  })

  test('instants of all years are in the zone that is named, and for a spreadsheet without it', () => {
    const columns = [
      { name: 'at', type: 1184 },
      { name: 'local', type: 1114 },
    ]
    const rows = [
      ['9999-12-31T23:59:59Z', '10000-01-01T00:00:00.5'],
      ['0001-01-01T00:00:00Z', '0044-03-15T12:00:00 BC'],
      ['0044-03-15T12:00:00.25Z BC', '-infinity'],
      ['294276-12-31T12:00:00Z', 'infinity'],
      ['-infinity', null],
    ]
    const result = { columns, rows, count: rows.length }
    const lines = (timeZone: string, excel: string | null = null) =>
      inParts([result], 'csv', pipe, { timeZone, excel }).trimEnd().split(/\r?\n/).slice(1)
    expect(lines('Europe/Berlin').map((line) => line.split(',')[0])).toEqual([
      '10000-01-01T00:59:59+01:00',
      '0001-01-01T00:53:28+00:53:28',
      '0044-03-15T12:53:28.25+00:53:28 BC',
      '294276-12-31T13:00:00+01:00',
      '-infinity',
    ])
    expect(lines('America/New_York')[1]).toBe('0001-12-31T19:03:58-04:56:02 BC,0044-03-15T12:00:00 BC')
    expect(lines('America/New_York', 'en-US')).toEqual([
      '9999-12-31 18:59:59,10000-01-01 00:00:00',
      '0001-12-31 19:03:58 BC,0044-03-15 12:00:00 BC',
      "0044-03-15 07:03:58 BC,'-infinity",
      '294276-12-31 07:00:00,infinity',
      "'-infinity,",
    ])
  })

  test('csv for a spreadsheet has the marks, separators and times of a language, and no formulas', () => {
    const columns = [
      { name: 'at', type: 1184 },
      { name: 'amount', type: 1700 },
      { name: 'name', type: 25 },
    ]
    const rows = [
      ['2026-07-01T22:30:00.5Z', '1234.50', '=1+1'],
      ['2026-07-01T22:30:00Z', null, '2.5'],
      [null, '-3.50', 'two\n=lines;'],
      [null, null, '2026-07-01T22:30:00Z'],
    ]
    const result = { columns, rows, count: 4 }
    const excel = (language: string) =>
      inParts([result], 'csv', pipe, { excel: language, timeZone: 'Europe/Berlin' })
    expect(excel('de-DE')).toBe(
      '\ufeffat;amount;name\r\n2026-07-02 00:30:00;1234,50;\'=1+1\r\n2026-07-02 00:30:00;;2.5\r\n;-3,50;"two\n=lines;"\r\n;;2026-07-01T22:30:00Z\r\n',
    )
    expect(excel('en-GB')).toContain("2026-07-02 00:30:00,1234.50,'=1+1\r\n")
  })

  test('numbers that JSON has no form for are kept as text', () => {
    const odd = { columns: [{ name: 'x', type: 701 }], rows: [[NaN], [-Infinity]], count: 2 }
    expect(JSON.parse(inParts([odd], 'json'))).toEqual({
      columns: ['x'],
      rows: [{ x: 'NaN' }, { x: '-Infinity' }],
    })
  })

  test.each(['json', 'ndjson', 'csv', 'table'] as const)(
    'as %s is the same in one part and in many',
    (as) => {
      const rows = Array.from({ length: 2500 }, (_, at) => [String(1000 + at), 'x'])
      const parts = rows.map((row) => ({ ...answer, rows: [row] }))
      expect(inParts(parts, as, terminal)).toBe(inParts([{ ...answer, rows }], as, terminal))
      const none = inParts([{ ...answer, rows: [] }], as)
      expect(none).toBe(
        {
          json: '{"columns":["id","name"],"rows":[]}\n',
          ndjson: '',
          csv: 'id,name\n',
          table: 'id  name\n──  ────\n(0 rows)\n',
        }[as],
      )
    },
  )

  test('as a table has columns that become wider with later rows, after the first thousand', () => {
    const early = { ...answer, rows: Array.from({ length: 1000 }, (_, at) => [String(at), 'short']) }
    const late = { ...answer, rows: [['1000', 'longer than any before']] }
    expect(inParts([early, late], 'table', terminal)).toContain(
      '999  short\n1000  longer than any before\n(1,001 rows)',
    )
  })
})

describe('progress', () => {
  const progress: Progress = {
    phase: 'responses',
    events: { done: 10, total: 40, skipped: 0 },
    responses: 2000,
    changedRows: 1,
    retries: 0,
    slowdown: null,
    bytes: 1,
  }

  test('tells events, responses, rows, rate and time left; retries only when there are any', () => {
    expect(progressLine(progress, 2000)).toBe(
      '10/40 events, 2,000 responses (1,000/s), 1 row changed, 6 s left',
    )
    expect(progressLine({ ...progress, retries: 3 }, 2000)).toMatch(/, 3 retries$/)
  })

  test('H27 tells that the service slows the run down, how much, and until when', () => {
    const slowdown = { requests_per_second: 3.7, requests_at_once: 2, until: null }
    expect(progressLine({ ...progress, slowdown }, 2000)).toMatch(
      /, slowed down to 3.7 requests\/s by the service$/,
    )
    const until = new Date('2026-03-01T12:00:30Z')
    expect(progressLine({ ...progress, phase: 'events', slowdown: { ...slowdown, until } }, 2000)).toBe(
      'reading the event list … the service asks to wait until 12:00:30 UTC',
    )
  })

  test('tells what a continued backfill does not read again', () => {
    const continued = { ...progress, events: { done: 10, total: 40, skipped: 1960 } }
    expect(progressLine(continued, 200)).toMatch(/^10\/40 events \(1,960 more were read before\), /)
  })

  test('guesses no rate from the first moment', () => {
    expect(progressLine(progress, 200)).toBe('10/40 events, 2,000 responses, 1 row changed')
  })

  test('has a bar where there is room, and never more than the terminal', () => {
    expect(drawProgress(runProgress, progress, 200, 100)).toMatch(/^█{6}░{18} 10\/40 events/)
    expect(drawProgress(runProgress, progress, 2000, 79)).toMatch(/^█+░+ 10\/40 events/)
    expect(drawProgress(runProgress, progress, 2000, 30)).toHaveLength(30)
  })

  test('names what comes before and after the responses', () => {
    expect(progressLine({ ...progress, phase: 'events' }, 2000)).toBe('reading the event list …')
    expect(progressLine({ ...progress, phase: 'removing' }, 2000)).toMatch(/removing what is gone$/)
  })
})

test('a time stamp is cut to a unit', () => {
  const at = '2026-11-22T21:38:04.123456Z'
  expect(formatTimestamp(at, 'day')).toBe('2026-11-22')
  expect(formatTimestamp(at, 'minute')).toBe('2026-11-22 21:38')
  expect(formatTimestamp(at, 'second')).toBe('2026-11-22 21:38:04')
})
