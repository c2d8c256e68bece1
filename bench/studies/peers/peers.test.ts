import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { findDifferences } from './comparison/differences.ts'
import { expectedEvents } from './comparison/expected.ts'
import { LimitError, runTree } from './process-tree.ts'
import { tableNames, tables } from '../../account/rows.ts'
import type { Row, TableName } from '../../account/rows.ts'
import { freshMirror } from '../../../test/support/databases/databases.ts'

const run = promisify(execFile)
const bench = new URL('./main.ts', import.meta.url).pathname

/** Shows rows as views, as a peer's rows.sql does. */
function shown(rows: Readonly<Record<TableName, readonly Row[]>>): string {
  const views = tableNames.map((table) => {
    const items = rows[table].map((row) =>
      Object.fromEntries(tables[table].columns.map((column, place) => [column, row[place]])),
    )
    return `create temporary view ${table} as
      select * from jsonb_populate_recordset(null::headcount.${table}, $json$${JSON.stringify(items)}$json$);\n`
  })
  return views.join('')
}

describe.concurrent('npm run bench:peers', () => {
  test(
    'measures headcount and a script, and leaves a peer out that cannot be installed',
    { timeout: 180_000 },
    async () => {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-peers-'))
      await writeFile(join(folder.path, 'python3'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
      const document = join(folder.path, 'document.md')
      await writeFile(document, 'before\n<!-- peers:begin -->\nold\n<!-- peers:end -->\nafter\n')
      // Of a dozen responses one is deleted.
      const size = ['--events', '20', '--responses', '12', '--size', 'whole']
      const peers = ['headcount', 'naive', 'dlt'].flatMap((name) => ['--peer', name])
      const places = ['--folder', join(folder.path, 'packages'), '--write', document]
      const env = { ...process.env, PATH: `${folder.path}:${process.env['PATH']}` }
      const ended = run(process.execPath, [bench, ...size, ...peers, ...places], { env })

      // The code tells that a peer has no figures.
      const { code, stdout } = await ended.then(
        () => ({ code: 0, stdout: '' }),
        (error: { code: number; stdout: string }) => error,
      )
      expect(code).toBe(1)
      const cells = stdout.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
      const of = (title: string) => cells.find(([, first]) => first?.startsWith(title))?.slice(-5, -1)
      expect(of('headcount')).toEqual(['22', 'yes', 'yes', ''])
      expect(of('script: one upsert')).toEqual(['21', 'no: 20 responses stayed', 'yes', expect.any(String)])
      expect(of('dlt')?.[2]).toBe(
        '**not run: there is no python3 with venv on this machine (Debian: apt install python3-venv)**',
      )
      expect(await readFile(document, 'utf8')).toBe(
        `before\n<!-- peers:begin -->\n\n${stdout}\n<!-- peers:end -->\nafter\n`,
      )
    },
  )

  test('every value counts: what differs is named, whatever counts and sums say', async () => {
    await using mirror = await freshMirror('postgres')
    const expected = [...expectedEvents({ events: 2, responses: 12, active: 0 }, 'original')]
    const rows = {
      events: expected.flatMap(({ events }) => events),
      responses: expected.flatMap(({ responses }) => responses),
      payments: expected.flatMap(({ payments }) => payments),
      slots: expected.flatMap(({ slots }) => slots),
    }
    expect(await findDifferences(mirror.database, shown(rows), expected)).toEqual({
      missing: {},
      extra: {},
      values: {},
    })

    const message = tables.responses.columns.indexOf('message')
    const emptied = rows.responses.map((row) =>
      row.map((value, place) => (place === message && value === '' ? null : value)),
    )
    const [first, second, ...others] = emptied
    if (!first || !second) throw new Error('an account without responses')
    const stranger: Row = ['gathering-00000001x', ...second.slice(1)]
    const damaged = { ...rows, responses: [first, first, ...others, stranger] }
    expect(await findDifferences(mirror.database, shown(damaged), expected)).toEqual({
      missing: { responses: 1 },
      extra: { responses: 2 },
      values: {
        'responses.message': rows.responses.filter((row) => row !== rows.responses[1] && row[message] === '')
          .length,
      },
    })
  })

  test('a peer that takes too long is ended with all its processes', { timeout: 20_000 }, async () => {
    // What it started has its output too: that ends with the last of them.
    const args = ['/bin/sh', '-c', 'sleep 60 & wait']
    await expect(runTree({ args, env: {} }, 300)).rejects.toThrow(LimitError)
  })
})
