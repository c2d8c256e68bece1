/** What goes on in a run, while it goes on: the time it took, and perhaps a span below the span of the run. */
import { SpanKind, SpanStatusCode, type Attributes, type Histogram } from '@opentelemetry/api'
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'
import type { ChildKind, ChildSpans } from './child-spans.ts'
import { errorType } from './error-type.ts'
import { tracer } from './tracer.ts'

/** One request or statement. */
export interface Observation {
  /** Adds attributes that are known only now. */
  note(attributes: Attributes): void
  /** It failed; `type` in place of the error's own. */
  fail(error: unknown, type?: string): void
  end(): void
}

/** Where nobody looks: one object for all. */
export const unobserved: Observation = { note: () => {}, fail: () => {}, end: () => {} }

/** What is observed, and who looks. */
export interface Observed {
  readonly kind: ChildKind
  /** Of both the metric and the span. */
  readonly attributes: Attributes
  /** Of the span alone, which have more values than a metric should have; computed when there is one. */
  readonly spanOf: () => { readonly name: string; readonly attributes: Attributes }
  readonly duration: Histogram | undefined
  readonly spans: ChildSpans | undefined
}

/** Begins now. The span is made at the end, when it is known whether it is worth one: that also costs half. */
export function observe(observed: Observed): Observation {
  return new Observing(observed)
}

class Observing implements Observation {
  readonly #startedMs = performance.now()
  readonly #observed: Observed

  constructor(observed: Observed) {
    this.#observed = observed
  }

  note(attributes: Attributes): void {
    Object.assign(this.#observed.attributes, attributes)
  }

  fail(error: unknown, type = errorType(error)): void {
    if (!this.#hasFailed) this.note({ [ATTR_ERROR_TYPE]: type })
  }

  end(): void {
    const { kind, attributes, duration, spans } = this.#observed
    const endedMs = performance.now()
    const ms = endedMs - this.#startedMs
    duration?.record(ms / 1000, attributes)
    if (spans?.takes(kind, ms, this.#hasFailed)) this.#makeSpan(spans, endedMs)
  }

  get #hasFailed(): boolean {
    return this.#observed.attributes[ATTR_ERROR_TYPE] !== undefined
  }

  #makeSpan({ context }: ChildSpans, endedMs: number): void {
    const { attributes, spanOf } = this.#observed
    const { name, attributes: own } = spanOf()
    const options = {
      kind: SpanKind.CLIENT,
      startTime: this.#startedMs,
      attributes: { ...attributes, ...own },
    }
    const span = tracer().startSpan(name, options, context)
    // Without a message: it may name an event.
    if (this.#hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endedMs)
  }
}
