/** A collector of OpenTelemetry on a real socket: takes OTLP over HTTP, or behaves as a test says. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '../http/loopback.ts'
import { decodeMetrics, decodeTraces } from './otlp-protobuf.ts'

/** A span as a test looks at it. */
export interface ReceivedSpan {
  readonly name: string
  readonly spanId: string
  readonly parentSpanId: string
  readonly traceId: string
  readonly kind: number
  readonly attributes: Readonly<Record<string, unknown>>
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string }
}

export interface ReceivedPoint {
  readonly metric: string
  readonly unit: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** The value, or how many were counted by a histogram. */
  readonly value: number
}

export interface Collector extends AsyncDisposable {
  /** As OTEL_EXPORTER_OTLP_ENDPOINT names it. */
  readonly endpoint: string
  readonly spans: readonly ReceivedSpan[]
  readonly points: readonly ReceivedPoint[]
  /** The attributes of the resource that sent last. */
  readonly resource: Readonly<Record<string, unknown>>
  readonly requests: readonly { readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** All that was received, as text. */
  readonly raw: string
}

/** `hang`: takes requests and never answers; a number: answers with this status. */
export type Behaviour = 'take' | 'hang' | number

export async function startCollector(behaviour: Behaviour = 'take'): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const points: ReceivedPoint[] = []
  const requests: { path: string; headers: IncomingMessage['headers'] }[] = []
  let raw = ''
  let resource: Readonly<Record<string, unknown>> = {}

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request)
    const path = request.url ?? ''
    requests.push({ path, headers: request.headers })
    raw += body.toString('latin1')
    if (behaviour === 'hang') return
    if (behaviour !== 'take') {
      response.writeHead(behaviour).end()
      return
    }
    const isJson = request.headers['content-type'] === 'application/json'
    if (path === '/v1/traces') {
      const { resourceSpans } = isJson ? (JSON.parse(body.toString()) as TracesRequest) : decodeTraces(body)
      for (const { resource: from, scopeSpans } of resourceSpans) {
        resource = valuesOf(from.attributes)
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(spanOf(span))
      }
    } else {
      const { resourceMetrics } = isJson
        ? (JSON.parse(body.toString()) as MetricsRequest)
        : decodeMetrics(body)
      for (const { resource: from, scopeMetrics } of resourceMetrics) {
        resource = valuesOf(from.attributes)
        for (const metric of scopeMetrics.flatMap((scope) => scope.metrics)) points.push(...pointsOf(metric))
      }
    }
    response.writeHead(200, { 'content-type': request.headers['content-type'] }).end(isJson ? '{}' : '')
  }

  const failures: unknown[] = []
  const server = createServer((request, response) => {
    receive(request, response).catch((error: unknown) => {
      failures.push(error)
      response.writeHead(400).end()
    })
  })
  const listening = await listenOnLoopback(server)
  return {
    endpoint: `http://127.0.0.1:${listening.port}`,
    spans,
    points,
    requests,
    get resource() {
      return resource
    },
    get raw() {
      return raw
    },
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]()
      if (failures.length > 0) throw new AggregateError(failures, 'the collector could not read a request')
    },
  }
}

/** The variables that send everything to it, as JSON. */
export function sendingTo({ endpoint }: Collector): Readonly<Record<string, string>> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }
}

export interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface WireSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly status?: { readonly code?: number; readonly message?: string }
}

interface WirePoint {
  readonly attributes: readonly Attribute[]
  readonly asInt?: number | string
  readonly asDouble?: number
  readonly count?: number | string
}

interface WireMetric {
  readonly name: string
  readonly unit?: string
  readonly sum?: { readonly dataPoints: readonly WirePoint[] }
  readonly gauge?: { readonly dataPoints: readonly WirePoint[] }
  readonly histogram?: { readonly dataPoints: readonly WirePoint[] }
}

interface WireResource {
  readonly attributes: readonly Attribute[]
}

export interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: WireResource
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[]
  }[]
}

export interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly resource: WireResource
    readonly scopeMetrics: readonly { readonly metrics: readonly WireMetric[] }[]
  }[]
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? value.doubleValue ?? Number(value.intValue),
    ]),
  )
}

function spanOf({ name, traceId, spanId, parentSpanId, kind, attributes, status }: WireSpan): ReceivedSpan {
  return {
    name,
    traceId,
    spanId,
    parentSpanId: parentSpanId ?? '',
    kind,
    attributes: valuesOf(attributes),
    status: status ?? {},
  }
}

function pointsOf({ name, unit, sum, gauge, histogram }: WireMetric): ReceivedPoint[] {
  return (sum ?? gauge ?? histogram ?? { dataPoints: [] }).dataPoints.map((point) => ({
    metric: name,
    unit: unit ?? '',
    attributes: valuesOf(point.attributes),
    value: Number(point.asInt ?? point.asDouble ?? point.count),
  }))
}
