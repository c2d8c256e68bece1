import type { RunReport } from '../../../src/common/schema/tables.ts'

const none = { inserted: 0, updated: 0, deleted: 0 }

/** The report of a run that found nothing to do, but for these fields. */
export function reportWith(fields: Partial<RunReport>): RunReport {
  return {
    run_id: 1,
    account: 'default',
    mode: 'sync',
    status: 'succeeded',
    started_at: '2026-01-01T00:00:00Z',
    finished_at: '2026-01-01T00:00:01Z',
    duration_ms: 1000,
    events: { listed: 0, due: 0, unchanged: 0, changed: 0, failed: 0 },
    rows: { events: none, responses: none, payments: none, slots: none },
    rejected: 0,
    set_aside: 0,
    held: 0,
    holds: [],
    unconfirmed: 0,
    requests: 0,
    retries: 0,
    not_modified: 0,
    bytes_received: 0,
    warnings: [],
    errors: [],
    errors_total: 0,
    ...fields,
  }
}
