import {
  AggregationTemporality,
  InstrumentType,
  type AggregationTemporalitySelector,
} from '@opentelemetry/sdk-metrics'

/**
 * Observed gauges tell only what was observed now, as the specification has it. With the other temporality the SDK repeats
 * for ever what was observed once, so that an account that was removed would grow old and raise an alert. The temporality of
 * a gauge is never sent.
 */
export function onlyObservedNow(
  others: AggregationTemporalitySelector = () => AggregationTemporality.CUMULATIVE,
): AggregationTemporalitySelector {
  return (type) => (type === InstrumentType.OBSERVABLE_GAUGE ? AggregationTemporality.DELTA : others(type))
}
