/** Runs: one span each, and the metrics of how they end. */
import { context, SpanStatusCode, trace, type Attributes } from '@opentelemetry/api'
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'
import { HeadcountError } from '../common/errors.ts'
import { isGoodRun } from '../common/schema/run-report.ts'
import type { RunReport } from '../common/schema/tables.ts'
import { errorType } from './error-type.ts'
import { findInstruments, instruments, type Instruments } from './instruments.ts'
import { tracer } from './tracer.ts'
import { withChildSpans } from './child-spans.ts'
import { figuresOf, watchPace, type Pace } from './account-figures.ts'

export interface ObservedRun {
  readonly account: string
  readonly mode: 'sync' | 'backfill' | 'verify'
  /** Nothing is written: it counts as no run, and has a span only. */
  readonly isDryRun: boolean
  /** Only some events are read: it says nothing of the age of the mirror. */
  readonly isPartOfAccount: boolean
}

/** What a report says of a run that ended by itself. */
export interface RunOutcome {
  readonly status: string
  readonly attributes: Attributes
  /** Null of a verification. */
  readonly report: RunReport | null
}

/** Called by the run when it knows how it asks the service. */
export type OnPace = (read: () => Pace) => void

/**
 * Observes a run from its start to its end. What `work` does meanwhile belongs to its span.
 *
 * @param outcomeOf of the report that `work` resolves with
 */
export async function observeRun<Report>(
  run: ObservedRun,
  outcomeOf: (report: Report) => RunOutcome,
  work: (onPace: OnPace) => Promise<Report>,
): Promise<Report> {
  using watched = new DisposableStack()
  const isMeasured = findInstruments() !== null
  const onPace: OnPace = (read) => {
    if (isMeasured) watched.use(watchPace(run.account, read))
  }
  const startedMs = performance.now()
  const span = tracer().startSpan('headcount.run', { attributes: spanAttributes(run) })
  const parent = trace.setSpan(context.active(), span)
  return await context.with(span.isRecording() ? withChildSpans(parent) : parent, async () => {
    const note = ({ status, attributes, report }: RunOutcome, failure: Attributes = {}) => {
      if (span.isRecording())
        span.setAttributes({ ...attributes, 'headcount.run.status': status, ...failure })
      const { account, mode } = run
      const to = instruments()
      if (to === null || run.isDryRun) return
      to.runDuration.record((performance.now() - startedMs) / 1000, { account, mode, status, ...failure })
      if (report !== null) recordReport(to, run, report)
    }
    try {
      const report = await work(onPace)
      note(outcomeOf(report))
      return report
    } catch (error) {
      const type = errorType(error)
      note(outcomeOfError(error), { [ATTR_ERROR_TYPE]: type })
      // The code only: a message may name an event.
      span.setStatus({ code: SpanStatusCode.ERROR, message: type })
      throw error
    } finally {
      span.end()
    }
  })
}

/** Of `sync` and `backfill`. */
export function outcomeOfRun(report: RunReport): RunOutcome {
  const { status, events, rows } = report
  const written: Attributes = {}
  for (const [table, counts] of Object.entries(rows)) {
    for (const [operation, count] of Object.entries(counts))
      written[`headcount.run.rows.${table}.${operation}`] = count
  }
  return {
    status,
    report,
    attributes: {
      ...(report.run_id !== null && { 'headcount.run.id': report.run_id }),
      'headcount.run.events.listed': events.listed,
      'headcount.run.events.due': events.due,
      'headcount.run.events.unchanged': events.unchanged,
      'headcount.run.events.changed': events.changed,
      'headcount.run.events.failed': events.failed,
      ...written,
      'headcount.run.rejects': report.rejected,
      'headcount.run.held': report.held,
      'headcount.run.requests': report.requests,
      'headcount.run.retries': report.retries,
      'headcount.run.not_modified': report.not_modified,
      'headcount.run.bytes_received': report.bytes_received,
    },
  }
}

function outcomeOfError(error: unknown): RunOutcome {
  if (!(error instanceof HeadcountError)) return { status: 'failed', attributes: {}, report: null }
  if (error.report !== undefined) return outcomeOfRun(error.report)
  return { status: error.code === 'interrupted' ? 'interrupted' : 'failed', attributes: {}, report: null }
}

function spanAttributes({ account, mode, isDryRun, isPartOfAccount }: ObservedRun): Attributes {
  return {
    'headcount.account': account,
    'headcount.run.mode': mode,
    ...(isDryRun && { 'headcount.run.dry_run': true }),
    ...(isPartOfAccount && { 'headcount.run.named_events_only': true }),
  }
}

function recordReport(to: Instruments, { account, isPartOfAccount }: ObservedRun, report: RunReport): void {
  const figures = figuresOf(account)
  figures.held = report.held
  figures.rejects = report.rejected
  for (const [table, { inserted, updated, deleted }] of Object.entries(report.rows)) {
    to.rows.add(inserted, { account, table, operation: 'insert' })
    to.rows.add(updated, { account, table, operation: 'update' })
    to.rows.add(deleted, { account, table, operation: 'delete' })
  }
  // guard: last success
  if (isPartOfAccount || !isGoodRun(report)) return
  figures.lastSuccess = Date.parse(report.started_at) / 1000
}
