/**
 * Units in the names of metrics, as the specification of OpenTelemetry maps them to Prometheus, and as collectors and
 * Prometheus' own receiver do. The exporter for Prometheus leaves them out: its names would be others than theirs.
 */
import { DataPointType, type MetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics'

/** The units of this program. */
const unitWords: Readonly<Record<string, string>> = { s: 'seconds', By: 'bytes' }
const timeWords: Readonly<Record<string, string>> = { s: 'second', min: 'minute', h: 'hour', d: 'day' }

export function withUnitsInNames(resourceMetrics: ResourceMetrics): ResourceMetrics {
  return {
    ...resourceMetrics,
    scopeMetrics: resourceMetrics.scopeMetrics.map(({ scope, metrics }) => ({
      scope,
      metrics: metrics.map(withUnitInName),
    })),
  }
}

function withUnitInName(metric: MetricData): MetricData {
  const { descriptor } = metric
  const word = unitWord(descriptor.unit, metric.dataPointType === DataPointType.GAUGE)
  const name =
    word === null || descriptor.name.endsWith(word) ? descriptor.name : `${descriptor.name}_${word}`
  // The unit stands in the name; a comment with the other spelling would contradict it.
  return { ...metric, descriptor: { ...descriptor, name, unit: '' } }
}

/** Null of a unit that has no place in a name, such as the annotation `{row}`. */
function unitWord(unit: string, isGauge: boolean): string | null {
  const [base = '', per] = unit.replace(/\{[^}]*\}/g, '').split('/')
  const word = base === '1' && isGauge ? 'ratio' : unitWords[base]
  const parts = [
    ...(word === undefined ? [] : [word]),
    ...(per === undefined ? [] : [`per_${timeWords[per] ?? per}`]),
  ]
  return parts.length === 0 ? null : parts.join('_')
}
