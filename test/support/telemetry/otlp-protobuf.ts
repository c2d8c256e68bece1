/** Reads the parts of OTLP's protobuf messages that the tests look at; the field numbers are those of OTLP 1. */
import { parse } from 'protobufjs'
import type { MetricsRequest, TracesRequest } from './collector.ts'

const { root } = parse(`
  syntax = "proto3";
  message AnyValue { oneof value { string stringValue = 1; bool boolValue = 2; int64 intValue = 3; double doubleValue = 4; } }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message Resource { repeated KeyValue attributes = 1; }

  message Status { string message = 2; int32 code = 3; }
  message Span {
    bytes traceId = 1; bytes spanId = 2; bytes parentSpanId = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message ScopeSpans { repeated Span spans = 2; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scopeSpans = 2; }
  message Traces { repeated ResourceSpans resourceSpans = 1; }

  message NumberPoint { repeated KeyValue attributes = 7; oneof value { double asDouble = 4; sfixed64 asInt = 6; } }
  message HistogramPoint { repeated KeyValue attributes = 9; fixed64 count = 4; }
  message Gauge { repeated NumberPoint dataPoints = 1; }
  message Sum { repeated NumberPoint dataPoints = 1; }
  message Histogram { repeated HistogramPoint dataPoints = 1; }
  message Metric { string name = 1; string unit = 3; oneof data { Gauge gauge = 5; Sum sum = 7; Histogram histogram = 9; } }
  message ScopeMetrics { repeated Metric metrics = 2; }
  message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scopeMetrics = 2; }
  message Metrics { repeated ResourceMetrics resourceMetrics = 1; }
`)

export function decodeTraces(body: Buffer): TracesRequest {
  return decode('Traces', body) as TracesRequest
}

export function decodeMetrics(body: Buffer): MetricsRequest {
  return decode('Metrics', body) as MetricsRequest
}

function decode(type: string, body: Buffer): unknown {
  const message = root.lookupType(type)
  return message.toObject(message.decode(body), { longs: Number, bytes: String, arrays: true })
}
