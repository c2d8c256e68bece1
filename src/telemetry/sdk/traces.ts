import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace'
import type { SamplerName, TracesConfig } from '../../config/read-telemetry.ts'

/** A run sends thousands of requests before the event loop comes to sending spans: the SDK's 2,048 would lose some. */
const MAX_QUEUE_SIZE = 32_768

export function createTraces(config: TracesConfig, resource: Resource): TracerProvider {
  const { scheduledDelayMillis, exportTimeoutMillis, maxQueueSize, maxExportBatchSize } = config
  const processor = new BatchSpanProcessor({
    exporter: config.protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter(),
    maxQueueSize: maxQueueSize ?? MAX_QUEUE_SIZE,
    ...(scheduledDelayMillis !== undefined && { scheduledDelayMillis }),
    ...(exportTimeoutMillis !== undefined && { exportTimeoutMillis }),
    ...(maxExportBatchSize !== undefined && { maxExportBatchSize }),
  })
  return new TracerProvider({ resource, sampler: samplerOf(config), spanProcessors: [processor] })
}

function samplerOf({ sampler, share }: Pick<TracesConfig, 'sampler' | 'share'>): Sampler {
  const parts: Readonly<Record<SamplerName, () => Sampler>> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(share),
    parentbased_always_on: () => new ParentBasedSampler({ root: parts.always_on() }),
    parentbased_always_off: () => new ParentBasedSampler({ root: parts.always_off() }),
    parentbased_traceidratio: () => new ParentBasedSampler({ root: parts.traceidratio() }),
  }
  return parts[sampler]()
}
