import type { Meter } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { heldRows } from '../../common/schema/holds.ts'
import type { AccountStatus } from '../../mirror/status/account-status.ts'
import { ofAccounts, ofMirrors, ofRuns, type Declaration } from '../declarations.ts'
import { SCOPE } from '../tracer.ts'
import { ScrapeReader } from './scrape-reader.ts'

export interface StatusMetrics {
  readonly accounts: readonly AccountStatus[]
  /** Of the accounts file; null: there is none. */
  readonly faultyEntries: number | null
}

/**
 * How mirrors stand, in Prometheus' text form: for a file that its node exporter reads. It comes from the database, so that it is
 * right after the process that ran has gone.
 */
export async function statusText(status: StatusMetrics): Promise<string> {
  // The file is read beside those of others: it says nothing of a process.
  const reader = new ScrapeReader({ withResource: false })
  const provider = new MeterProvider({ readers: [reader] })
  recordStatuses(provider.getMeter(SCOPE), status)
  try {
    return await reader.text()
  } finally {
    await provider.shutdown()
  }
}

/** What is told of each account. */
const ofAccount: readonly (readonly [Declaration, (status: AccountStatus) => number | null])[] = [
  [ofRuns.lastSuccess, ({ last_good_run: run }) => run && Date.parse(run.started_at) / 1000],
  [ofMirrors.age, ({ age_ms }) => age_ms && age_ms / 1000],
  [ofRuns.held, ({ held }) => heldRows(held)],
  [ofMirrors.heldTooLong, ({ held }) => heldRows(held.filter(({ overdue }) => overdue))],
  [ofRuns.rejects, ({ rejected }) => rejected],
  [ofMirrors.failing, ({ failing }) => failing.length],
  [ofMirrors.due, ({ events_due }) => events_due],
]

function recordStatuses(meter: Meter, { accounts, faultyEntries }: StatusMetrics): void {
  const gauge = (declared: Declaration) => meter.createGauge(declared.name, declared)
  if (faultyEntries !== null) gauge(ofAccounts.faultyEntries).record(faultyEntries)
  gauge(ofMirrors.accounts).record(accounts.length)
  for (const [declared, read] of ofAccount) {
    const told = gauge(declared)
    for (const status of accounts) {
      const value = read(status)
      if (value !== null) told.record(value, { account: status.account })
    }
  }
  const rows = gauge(ofMirrors.rows)
  for (const { account, rows: counts } of accounts)
    for (const [table, count] of Object.entries(counts)) rows.record(count, { account, table })
}
