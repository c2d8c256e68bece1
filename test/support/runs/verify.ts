/** `verify` on a stage, as a library call. */
import { HeadcountError } from '../../../src/common/errors.ts'
import { verify } from '../../../src/index.ts'
import type { Difference, VerifyOptions, VerifyReport } from '../../../src/index.ts'
import { testKey } from '../http/reading.ts'
import { optionOf } from './stage.ts'
import type { Stage } from './stage.ts'

export function verifyOn(
  { target, service }: Pick<Stage, 'target' | 'service'>,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyReport> {
  return verify({
    ...(options.database === undefined && optionOf(target)),
    apiKey: testKey,
    baseUrl: service.baseUrl.href,
    requestTimeoutMs: 5000,
    ...options,
  })
}

/** The error that it throws. */
export async function failureOn(
  stage: Pick<Stage, 'target' | 'service'>,
  options: Partial<VerifyOptions> = {},
): Promise<HeadcountError> {
  const failure: unknown = await verifyOn(stage, options).then(
    () => null,
    (error: unknown) => error,
  )
  if (failure instanceof HeadcountError) return failure
  throw new Error(`verify did not fail as it should: ${String(failure)}`)
}

/** Differences in few words: where, what, and the two values. */
export function inWords({ differences }: VerifyReport): string[] {
  return differences.map(worded)
}

function worded({ table, event_id, response_id, position, ...what }: Difference): string {
  const place = [table, event_id, response_id, position].filter((part) => part !== null).join(' ')
  if (what.difference !== 'differs') return `${place}: ${what.difference}`
  return `${place}: ${what.column} ${what.expected} | ${what.found}`
}
