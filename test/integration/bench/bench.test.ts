import { execFile } from 'node:child_process'
import { mkdtempDisposable, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { accountsOf } from '../../../bench/account/accounts.ts'
import { writeSite } from '../../../bench/account/body-files.ts'
import type { Version } from '../../../bench/account/versions.ts'
import type { MeasurementName } from '../../../bench/scenarios/measurements.ts'
import { requireEqual } from '../../../bench/account/equality.ts'
import type { Digests } from '../../../bench/account/equality.ts'
import type { Figures } from '../../../bench/main.ts'
import { measurementsFor, scenarios } from '../../../bench/scenarios/scenarios.ts'
import type { Summary } from '../../../bench/figures/summary.ts'

const run = promisify(execFile)
const bench = new URL('../../../bench/main.ts', import.meta.url).pathname
const size = { events: 20, responses: 20 }
const accounts = accountsOf(size.events, size.responses)

/** One of most kinds, for all of them together take minutes: `npm run test:bench` runs those, with views and answers of 304. */
const sample: readonly MeasurementName[] = ['changed', 'start', 'serve-unchanged', 'pglite-unchanged']
const sampled = scenarios.filter(({ name }) => sample.includes(name))

/** Runs the sample on a tiny account and gives its figures, with the tables as printed. */
async function figuresOfSample(): Promise<{ figures: Figures; printed: string }> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-bench-'))
  const file = join(folder.path, 'figures.json')
  const account = ['--events', `${size.events}`, '--responses', `${size.responses}`]
  const chosen = sampled.flatMap(({ name }) => ['--scenario', name])
  const { stdout } = await run(process.execPath, [bench, ...account, ...chosen, '--json', file])
  return { figures: JSON.parse(await readFile(file, 'utf8')) as Figures, printed: stdout }
}

/** What mirrors of versions of the account must hold. */
async function expectedOf(...versions: readonly Version[]): Promise<readonly Digests[]> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'headcount-test-bench-'))
  const site = writeSite({ folder: folder.path, shape: accounts.whole, versions })
  return versions.flatMap((version) => site[version]?.digests ?? [])
}

/** Each scenario has a verdict on each of its bounds, and each measurement a line of figures. */
function expectWhole({ figures, printed }: Awaited<ReturnType<typeof figuresOfSample>>): void {
  expect(figures.verdicts.map(({ scenario, figure }) => `${scenario}: ${figure}`)).toEqual([
    ...sampled.flatMap(({ name, bounds }) => bounds.map(({ figure }) => `${name}: ${figure}`)),
    expect.stringMatching(/^all on Postgres .*: peak memory$/),
  ])
  expect(figures.rounds.flatMap(({ failures }) => failures)).toEqual([])
  for (const { values, figure, verdict } of figures.verdicts) {
    expect(verdict).not.toBe('failed')
    if (figure === 'rows written')
      expect({ values, verdict }).toMatchObject({ values: { largest: 0 }, verdict: 'met' })
    else expect(values?.least).toBeGreaterThan(0)
  }
  expect(figures.summaries.map(({ name }) => name)).toEqual(measurementsFor(sampled))
  for (const { name, minMs, cpuMs, peakBytes } of figures.summaries) {
    expect(minMs).toBeGreaterThan(0)
    if (name === 'node') continue
    expect(cpuMs).toBeGreaterThan(0)
    expect(peakBytes).toBeGreaterThan(10e6)
  }
  for (const name of [...sample, 'figure', 'min s', 'src/headcount.cjs, which `npx --no'])
    expect(printed).toContain(name)
}

describe.concurrent('npm run bench', () => {
  test(
    'measures a scenario of most kinds on both engines, each mirror equal to the service',
    { timeout: 400_000 },
    async () => {
      const ran = await figuresOfSample()
      expectWhole(ran)
      const of = new Map<string, Summary>(ran.figures.summaries.map((summary) => [summary.name, summary]))
      const all = 2 + size.events

      expect(of.get('changed')).toMatchObject({ rows: 2, historyRows: 1 })
      for (const name of ['download', 'changed']) expect(of.get(name)?.requests).toBe(all)
      const lists = accounts.tenth.events
      for (const name of ['serve', 'serve-unchanged']) expect(of.get(name)?.requests).toBe(20 * lists)
      expect(of.get('serve-first')?.requests).toBe(lists)
      for (const name of ['node', 'start']) expect(of.get(name)?.requests).toBe(2)
      expect(Object.keys(of.get('start')?.parts ?? {})).toEqual([
        'start of Node',
        'loading',
        'opening',
        'run',
      ])
    },
  )

  test('an inequality is an error that names the table', async () => {
    const [original, changed] = await expectedOf('original', 'changed')
    if (!original || !changed) throw new Error('two versions were asked for')
    expect(() => requireEqual('the mirror', changed, original)).toThrow(
      'the mirror is not what the service sends (responses: values differ',
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
