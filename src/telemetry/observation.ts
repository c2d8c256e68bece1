/** What goes on in a run, while it goes on: the time it took, and perhaps a span below the span of the run. */
import { SpanKind, SpanStatusCode, type Attributes, type Histogram } from '@opentelemetry/api'
import type { ChildKind, ChildSpans } from './child-spans.ts'
import { errorType } from './error-type.ts'
import { tracer } from './tracer.ts'

/** Who looks; at least one of the two. */
export interface Observers {
  readonly duration: Histogram | undefined
  readonly spans: ChildSpans | undefined
}

/** One request or statement, which began when this was made. Attributes and span are made at the end, when it is known what they are worth. */
export abstract class Observation {
  protected abstract readonly kind: ChildKind
  protected errorType: string | null = null
  readonly #startedMs = performance.now()
  readonly #observers: Observers

  constructor(observers: Observers) {
    this.#observers = observers
  }

  /** Of both the metric and the span. */
  protected abstract attributes(): Attributes

  /** Of the span alone, which have more values than a metric should have. */
  protected abstract span(): { readonly name: string; readonly attributes: Attributes }

  fail(error: unknown): void {
    this.errorType ??= errorType(error)
  }

  end(): void {
    const { duration, spans } = this.#observers
    const endedMs = performance.now()
    const ms = endedMs - this.#startedMs
    const takesSpan = spans?.takes(this.kind, ms, this.errorType !== null) === true
    if (duration === undefined && !takesSpan) return
    const attributes = this.attributes()
    duration?.record(ms / 1000, attributes)
    if (takesSpan) this.#makeSpan(spans, attributes, endedMs)
  }

  #makeSpan({ context }: ChildSpans, shared: Attributes, endedMs: number): void {
    const { name, attributes } = this.span()
    const options = {
      kind: SpanKind.CLIENT,
      startTime: this.#startedMs,
      attributes: { ...shared, ...attributes },
    }
    const span = tracer().startSpan(name, options, context)
    // Without a message: it may name an event.
    if (this.errorType !== null) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endedMs)
  }
}
