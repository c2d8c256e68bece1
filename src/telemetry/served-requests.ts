/** HTTP requests that `serve` answers, by the semantic conventions of OpenTelemetry. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_SCHEME,
} from '@opentelemetry/semantic-conventions'
import { findInstruments } from './instruments.ts'

/** Addresses without the ids and tokens in them. */
const routes = [
  [/\/api\/v1\/events\/[^/]+\/responses\/?$/, '/api/v1/events/{event_id}/responses'],
  [/\/api\/v1\/events\/?$/, '/api/v1/events'],
  [/\/api\/v1\/ping\/?$/, '/api/v1/ping'],
  [/\/api\/v1\/openapi\.json$/, '/api/v1/openapi.json'],
  [/\/l\/[^/]+\/[^/]+$/, '/l/{token}/{name}'],
  [/\/docs\/?$/, '/docs'],
  [/\/healthz$/, '/healthz'],
  [/\/readyz$/, '/readyz'],
] as const

/** Counts the request when its response has ended; nothing where nobody takes metrics. */
export function observeServed({ method = '', url = '' }: IncomingMessage, response: ServerResponse): void {
  const duration = findInstruments()?.httpServerDuration
  if (duration === undefined) return
  const beganMs = performance.now()
  response.once('close', () => {
    const route = routeOf(url)
    duration.record((performance.now() - beganMs) / 1000, {
      // By the conventions: whatever else a client invents would be a series of its own.
      [ATTR_HTTP_REQUEST_METHOD]: method === 'GET' || method === 'HEAD' ? method : '_OTHER',
      [ATTR_URL_SCHEME]: 'http',
      ...(route !== null && { [ATTR_HTTP_ROUTE]: route }),
      ...(response.headersSent
        ? { [ATTR_HTTP_RESPONSE_STATUS_CODE]: response.statusCode }
        : { [ATTR_ERROR_TYPE]: 'client_gone' }),
    })
  })
}

/** Null of an address that is none of the service. */
function routeOf(url: string): string | null {
  const [path = ''] = url.split('?', 1)
  return routes.find(([pattern]) => pattern.test(path))?.[1] ?? null
}
