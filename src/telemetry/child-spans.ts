/** Which requests and statements of a run have a span: some hundred of them, however many there are. */
import { context, createContextKey, type Context } from '@opentelemetry/api'

export type ChildKind = 'request' | 'statement'

/**
 * Of a run over 10,000 lists, spans for all of its requests would take a tenth of its processor time, and nobody would read them: the first
 * ones show how a run goes, and metrics count the others. A span costs some 0.1 ms until it is sent.
 */
const FIRST = { request: 25, statement: 100 } as const
const MAX_FAILED = 500

/** The spans below the span of one run. */
export interface ChildSpans {
  /** Where they belong. */
  readonly context: Context
  /** Whether one that has ended gets a span: one of the first, a failure, or the slowest so far. */
  takes(kind: ChildKind, ms: number, hasFailed: boolean): boolean
}

const KEY = createContextKey('headcount: spans below a run')

/** Makes what goes on in `parent` belong to the span of a run, which is recorded. */
export function withChildSpans(parent: Context): Context {
  const left: Record<ChildKind, number> = { ...FIRST }
  const slowestMs = { request: 0, statement: 0 }
  let failuresLeft = MAX_FAILED
  const spans: ChildSpans = {
    context: parent,
    takes: (kind, ms, hasFailed) => {
      const isSlowest = ms > slowestMs[kind]
      if (isSlowest) slowestMs[kind] = ms
      if (hasFailed) return failuresLeft-- > 0
      // guard: spans of a large run
      return left[kind]-- > 0 || isSlowest
    },
  }
  return parent.setValue(KEY, spans)
}

/** Undefined outside of a run, and in one that is not recorded. */
export function childSpans(): ChildSpans | undefined {
  // The API keeps any value; only `withChildSpans` has the key.
  return context.active().getValue(KEY) as ChildSpans | undefined
}
