/** Takes guards out, one at a time, and sees whether a test goes red. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Guard } from './guards/guard.ts'
import { findMarkers, mutate } from './markers.ts'
import { runTests } from './run-tests.ts'
import type { Outcome, TestResult } from './run-tests.ts'

/** A test that is red because the machine is busy proves nothing. */
const PATIENCE_MS = 120_000

export interface Verdict {
  readonly guard: Guard
  /** The first test that went red; null when the guard is missed by none. */
  readonly red: Pick<TestResult, 'file' | 'name'> | null
  /** Why this proves nothing, red or not; null when it does. */
  readonly fault: string | null
  readonly seconds: number
}

/** How the tests of these guards end while all guards stand: only of tests that are green then red means something. */
export async function runWithAllGuards(
  root: string,
  guards: readonly Guard[],
  signal: AbortSignal,
): Promise<Outcome> {
  const files = [...new Set(guards.flatMap(({ tests }) => tests))]
  const patterns = guards.map(({ only }) => only)
  const pattern = patterns.includes(undefined) ? {} : { pattern: `(?:${patterns.join(')|(?:')})` }
  return runTests(root, { files, signal, timeoutMs: PATIENCE_MS, ...pattern })
}

/**
 * @param root of a copy that nobody else uses meanwhile
 * @param whole how the tests of the guard end while it stands
 */
export async function tryWithout(
  root: string,
  guard: Guard,
  whole: Outcome,
  signal: AbortSignal,
): Promise<Verdict> {
  const started = performance.now()
  const { file, source, mutated } = mutate(guard, await findMarkers(root))
  const verdict = (red: Verdict['red'], fault: string | null): Verdict => ({
    guard,
    red,
    fault,
    seconds: (performance.now() - started) / 1000,
  })
  const unsound = judgeWhole(guard, whole)
  if (unsound !== null) return verdict(null, unsound)
  await writeFile(join(root, file), mutated)
  try {
    const { tests, unloaded } = await runTests(root, {
      files: guard.tests,
      signal,
      timeoutMs: PATIENCE_MS,
      bail: true,
      ...(guard.only !== undefined && { pattern: guard.only }),
    })
    if (unloaded.length > 0) return verdict(null, `without it ${unloaded.join()} cannot even be loaded`)
    const ran = tests.filter(({ status }) => status !== 'skipped')
    if (ran.length === 0) return verdict(null, 'without it no test of it ran: this machine may be too busy')
    return verdict(ran.find(({ status }) => status === 'failed') ?? null, null)
  } finally {
    await writeFile(join(root, file), source)
  }
}

function judgeWhole(guard: Guard, whole: Outcome): string | null {
  const isOfGuard = ({ file, name }: TestResult) =>
    guard.tests.includes(file) && (guard.only === undefined || new RegExp(guard.only).test(name))
  const tests = whole.tests.filter(isOfGuard)
  const red = tests.find(({ status }) => status === 'failed')
  if (red !== undefined) return `its test is red with the guard in place: ${red.name}`
  if (guard.tests.some((file) => whole.unloaded.includes(file))) return 'its tests cannot be loaded'
  return tests.some(({ status }) => status === 'passed') ? null : 'it names no test that runs'
}
