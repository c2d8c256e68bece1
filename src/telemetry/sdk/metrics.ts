import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader, type IMetricReader } from '@opentelemetry/sdk-metrics'
import type { MetricsConfig } from '../../config/read-telemetry.ts'
import { MAX_SERIES, ScrapeReader } from './scrape-reader.ts'
import { onlyObservedNow } from './temporality.ts'

export interface Metrics {
  readonly provider: MeterProvider
  /** In Prometheus' text form; null unless it is asked for. */
  readonly text: (() => Promise<string>) | null
}

/** @param sent how metrics are sent; null: they are not */
export function createMetrics(
  sent: MetricsConfig | null,
  { resource, scrape }: { readonly resource: Resource; readonly scrape: boolean },
): Metrics {
  const readers: IMetricReader[] = []
  const scraped = scrape ? new ScrapeReader() : null
  if (scraped !== null) readers.push(scraped)
  if (sent !== null) readers.push(pushReader(sent))
  return {
    provider: new MeterProvider({ resource, readers }),
    text: scraped === null ? null : () => scraped.text(),
  }
}

function pushReader(config: MetricsConfig): IMetricReader {
  const { exportIntervalMillis = 60_000, exportTimeoutMillis = 30_000, protocol } = config
  const exporter = protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter()
  exporter.selectAggregationTemporality = onlyObservedNow(
    exporter.selectAggregationTemporality.bind(exporter),
  )
  return new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    // The reader refuses a longer one.
    exportTimeoutMillis: Math.min(exportTimeoutMillis, exportIntervalMillis),
    cardinalityLimits: { default: MAX_SERIES },
  })
}
