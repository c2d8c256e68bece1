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

/** Whether the same tests are green while all guards stand: only then red means something. */
export type Soundness = Map<string, Promise<string | null>>

/** @param root of a copy that nobody else uses meanwhile */
export async function tryWithout(
  root: string,
  guard: Guard,
  sound: Soundness,
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
  const key = `${guard.tests.join()} ${guard.only ?? ''}`
  if (!sound.has(key)) sound.set(key, judgeWhole(runTests(root, selectionOf(guard, signal))))
  const unsound = (await sound.get(key)) ?? null
  if (unsound !== null) return verdict(null, unsound)
  await writeFile(join(root, file), mutated)
  try {
    const { tests, unloaded } = await runTests(root, { ...selectionOf(guard, signal), bail: true })
    if (unloaded.length > 0) return verdict(null, `without it ${unloaded.join()} cannot even be loaded`)
    return verdict(tests.find(({ status }) => status === 'failed') ?? null, null)
  } finally {
    await writeFile(join(root, file), source)
  }
}

function selectionOf({ tests, only }: Guard, signal: AbortSignal) {
  return { files: tests, signal, timeoutMs: PATIENCE_MS, ...(only !== undefined && { pattern: only }) }
}

async function judgeWhole(running: Promise<Outcome>): Promise<string | null> {
  const { tests, passed } = await running
  const red = tests.find(({ status }) => status === 'failed')
  if (red !== undefined) return `its test is red with the guard in place: ${red.name}`
  if (!passed) return 'its tests cannot be loaded'
  return tests.some(({ status }) => status === 'passed') ? null : 'it names no test that runs'
}
