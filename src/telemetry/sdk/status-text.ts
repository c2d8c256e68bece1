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

function recordStatuses(meter: Meter, { accounts, faultyEntries }: StatusMetrics): void {
  const gauge = (declared: Declaration) => meter.createGauge(declared.name, declared)
  if (faultyEntries !== null) gauge(ofAccounts.faultyEntries).record(faultyEntries)
  gauge(ofMirrors.accounts).record(accounts.length)
  const lastSuccess = gauge(ofRuns.lastSuccess)
  const age = gauge(ofMirrors.age)
  const held = gauge(ofRuns.held)
  const heldTooLong = gauge(ofMirrors.heldTooLong)
  const rejects = gauge(ofRuns.rejects)
  const failing = gauge(ofMirrors.failing)
  const due = gauge(ofMirrors.due)
  const rows = gauge(ofMirrors.rows)
  for (const status of accounts) {
    const { account, last_good_run, age_ms } = status
    if (last_good_run !== null) lastSuccess.record(Date.parse(last_good_run.started_at) / 1000, { account })
    if (age_ms !== null) age.record(age_ms / 1000, { account })
    held.record(heldRows(status.held), { account })
    heldTooLong.record(heldRows(status.held.filter(({ overdue }) => overdue)), { account })
    rejects.record(status.rejected, { account })
    failing.record(status.failing.length, { account })
    due.record(status.events_due, { account })
    for (const [table, count] of Object.entries(status.rows)) rows.record(count, { account, table })
  }
}
