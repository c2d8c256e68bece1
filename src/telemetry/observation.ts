/** What goes on in a run, while it goes on: a span below the span of the run, and the time it took. */
import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Histogram,
  type Span,
} from '@opentelemetry/api'
import { ATTR_ERROR_TYPE } from '@opentelemetry/semantic-conventions'
import { SCOPE } from './instruments.ts'
import { errorType } from './error-type.ts'
import { version } from '../common/version.ts'

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

/** @param ofSpan attributes of the span alone: more values than a metric should have */
export function observe(
  duration: Histogram | null,
  name: string,
  attributes: Attributes,
  ofSpan: Attributes,
): Observation {
  const span = startChild(name, attributes, ofSpan)
  if (span === null && duration === null) return unobserved
  return new Observed(span, duration, attributes)
}

/** Whether somebody takes the spans of what goes on now. */
export function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() === true
}

/** Null outside of a run, or of a span of the program that calls the library, and where that span is not recorded. */
function startChild(name: string, attributes: Attributes, ofSpan: Attributes): Span | null {
  if (!isTraced()) return null
  return trace
    .getTracer(SCOPE, version())
    .startSpan(name, { kind: SpanKind.CLIENT, attributes: { ...attributes, ...ofSpan } }, context.active())
}

class Observed implements Observation {
  readonly #startedMs = performance.now()
  readonly #span: Span | null
  readonly #duration: Histogram | null
  readonly #attributes: Attributes

  constructor(span: Span | null, duration: Histogram | null, attributes: Attributes) {
    this.#span = span
    this.#duration = duration
    this.#attributes = attributes
  }

  note(attributes: Attributes): void {
    Object.assign(this.#attributes, attributes)
    this.#span?.setAttributes(attributes)
  }

  fail(error: unknown, type = errorType(error)): void {
    if (this.#attributes[ATTR_ERROR_TYPE] !== undefined) return
    this.note({ [ATTR_ERROR_TYPE]: type })
    // Without a message: it may name an event.
    this.#span?.setStatus({ code: SpanStatusCode.ERROR })
  }

  end(): void {
    this.#duration?.record((performance.now() - this.#startedMs) / 1000, this.#attributes)
    this.#span?.end()
  }
}
