import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MetricReader } from '@opentelemetry/sdk-metrics'
import { onlyObservedNow } from './temporality.ts'
import { withUnitsInNames } from './prometheus-names.ts'

/** Of one metric: 12 for each account of `headcount.run.rows`. The SDK's 2,000 would do for 166 accounts. */
export const MAX_SERIES = 200_000

/** Gathers metrics for whoever asks for the text that Prometheus reads. */
export class ScrapeReader extends MetricReader {
  readonly #serializer: PrometheusSerializer

  /** @param options `withResource`: with the line `target_info`, which says who this is */
  constructor({ withResource = true }: { readonly withResource?: boolean } = {}) {
    super({ cardinalitySelector: () => MAX_SERIES, aggregationTemporalitySelector: onlyObservedNow() })
    // Everything has one scope: no label for it.
    this.#serializer = new PrometheusSerializer('', false, undefined, !withResource, true)
  }

  async text(): Promise<string> {
    const { resourceMetrics } = await this.collect()
    const text = this.#serializer.serialize(withUnitsInNames(resourceMetrics))
    return text.endsWith('\n') ? text : `${text}\n`
  }

  protected override async onForceFlush(): Promise<void> {}

  protected override async onShutdown(): Promise<void> {}
}
