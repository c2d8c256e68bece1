import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { engineNames } from '../../bench/engines/engine.ts'
import { expectedDigests, requireEqual } from '../../bench/equality.ts'
import type { Figures } from '../../bench/main.ts'

const run = promisify(execFile)
const bench = new URL('../../bench/main.ts', import.meta.url).pathname
const size = { events: 5, responses: 10 }

/** Runs the bench on a tiny account and gives its figures, with the table as printed. */
async function figuresOf(...args: readonly string[]): Promise<{ figures: Figures; table: string }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-bench-'))
  const file = join(folder.path, 'figures.json')
  const account = ['--events', `${size.events}`, '--responses', `${size.responses}`]
  const { stdout } = await run(process.execPath, [bench, ...account, '--json', file, ...args])
  return { figures: JSON.parse(await readFile(file, 'utf8')) as Figures, table: stdout }
}

describe.concurrent('npm run bench', () => {
  test.each(engineNames)(
    'measures floors and scenarios, each equal to the service (%s)',
    { timeout: 120_000 },
    async (engine) => {
      const { figures, table } = await figuresOf('--engine', engine)
      const expected = expectedDigests(size, 'original')
      const rows = Object.values(expected).reduce((sum, digest) => sum + digest.rows, 0)

      expect(figures.summaries.map(({ name }) => name)).toEqual([
        'download',
        'copy',
        'cold',
        'unchanged',
        'changed',
      ])
      expect(figures.summaries.map(({ rowsWritten }) => rowsWritten)).toEqual([null, rows, rows, 0, 1])
      for (const { name, minMs, ratio, walBytes, peakBytes } of figures.summaries) {
        expect(minMs).toBeGreaterThan(0)
        expect(peakBytes).toBeGreaterThan(10e6)
        if (name === 'download' || name === 'copy') expect(ratio).toBeNull()
        else expect(ratio).toBeGreaterThan(0)
        if (name !== 'download') expect(walBytes).toBeGreaterThan(0)
      }
      expect(table.trimEnd().split('\n')).toHaveLength(2 + figures.summaries.length)
    },
  )

  test('an inequality is an error that names the table', () => {
    const found = expectedDigests(size, 'changed')
    expect(() => requireEqual('cold', found, expectedDigests(size, 'original'))).toThrow(
      'cold: the mirror is not what the service sends (responses: values differ)',
    )
  })

  test('an unknown argument ends it before anything is measured', async () => {
    await expect(run(process.execPath, [bench, '--engine', 'sqlite'])).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--engine must be one of postgres, pglite, not "sqlite".'),
    })
  })
})
