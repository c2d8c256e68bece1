/** One time at which all accounts are due: what it costs, and how long each waits. */
import type { RunPool } from '../../../src/index.ts'

export interface PassFigures {
  readonly runs: number
  readonly failed: number
  readonly wallMs: number
  /** Of this process, without the service and the database. */
  readonly cpuMs: number
  /** From the tick to the end of each run, ascending. */
  readonly lateMs: readonly number[]
  /** The highest resident memory of this process until the end of this pass. */
  readonly peakBytes: number
}

export async function runPass(
  pool: RunPool,
  accounts: number,
  remote: { readonly baseUrl: string },
): Promise<PassFigures> {
  const began = performance.now()
  const cpu = process.cpuUsage()
  const lateMs: number[] = []
  let failed = 0
  const one = async (account: number) => {
    try {
      const { status } = await pool.sync({
        ...remote,
        account: `account-${account}`,
        apiKey: `key-of-account-${account}`,
        createAccount: true,
      })
      if (status !== 'succeeded') failed += 1
    } catch {
      failed += 1
    }
    lateMs.push(performance.now() - began)
  }
  await Promise.all(Array.from({ length: accounts }, (_, account) => one(account)))
  const { user, system } = process.cpuUsage(cpu)
  return {
    runs: accounts,
    failed,
    wallMs: performance.now() - began,
    cpuMs: (user + system) / 1000,
    lateMs: lateMs.toSorted((one, other) => one - other),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }
}
