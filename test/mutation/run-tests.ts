/** Runs tests in a process of their own and reads what became of them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

export interface TestResult {
  /** From the root of the repository. */
  readonly file: string
  /** With the names of what it stands in. */
  readonly name: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** The databases that it opened. */
  readonly engines: readonly string[]
}

export interface Outcome {
  readonly tests: readonly TestResult[]
  /** Files that could not be loaded: their tests are not among these. */
  readonly unloaded: readonly string[]
  readonly passed: boolean
}

export interface Selection {
  /** Paths from the root; all when there are none. */
  readonly files?: readonly string[]
  /** A regular expression that names must match. */
  readonly pattern?: string
  /** Show the runner's own progress on stderr. */
  readonly show?: boolean
  /** Stop at the first test that fails. */
  readonly bail?: boolean
  /** How long a test may take, in ms, unless it says so itself. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

interface JsonReport {
  readonly success: boolean
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly meta: { readonly engines?: readonly string[] }
    }[]
  }[]
}

/** @throws when the runner itself did not come to an end. */
export async function runTests(root: string, selection: Selection): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'headcount-proof-'))
  try {
    const file = join(folder, 'results.json')
    const { code, said } = await runVitest(root, file, selection)
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null) throw new Error(`vitest left no results (code ${code}):\n${said.slice(-4000)}`)
    return readReport(JSON.parse(text) as JsonReport, root)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runVitest(root: string, results: string, selection: Selection) {
  const { files = [], pattern, show = false, bail = false, timeoutMs, signal } = selection
  const args = [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    ...files,
    ...(pattern === undefined ? [] : ['-t', pattern]),
    ...(bail ? ['--bail=1'] : []),
    ...(timeoutMs === undefined ? [] : [`--testTimeout=${timeoutMs}`]),
    ...(show ? ['--reporter=default'] : []),
    '--reporter=json',
    `--outputFile.json=${results}`,
  ]
  // Data goes to stdout, and all that the runner says to stderr.
  const stdio = show ? (['ignore', 2, 2] as const) : (['ignore', 'pipe', 'pipe'] as const)
  const child = spawn(process.execPath, args, { cwd: root, stdio: [...stdio], ...(signal && { signal }) })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

function readReport({ success, testResults }: JsonReport, root: string): Outcome {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, meta }): TestResult => ({
      file: relative(root, name),
      name: fullName.trim(),
      status: status === 'passed' || status === 'failed' ? status : 'skipped',
      engines: meta.engines ?? [],
    })),
  )
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return { tests, unloaded: unloaded.map(({ name }) => relative(root, name)), passed: success }
}
