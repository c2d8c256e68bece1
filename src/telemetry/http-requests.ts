/** HTTP requests to the service, by the semantic conventions of OpenTelemetry. */
import {
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
} from '@opentelemetry/semantic-conventions'
import { instruments } from './instruments.ts'
import { childSpans } from './child-spans.ts'
import { observe, unobserved, type Observation } from './observation.ts'

/** The conventions' stable part does not have it yet. */
const ATTR_URL_TEMPLATE = 'url.template'

/** What is asked for; `page`: a next page or the target of a redirect, whose path may hold anything. */
export type Endpoint = 'ping' | 'events' | 'responses' | 'page'

/** Paths below the base address, without the id of an event, which may be a name. */
const templates: Readonly<Record<Endpoint, string>> = {
  ping: '/ping',
  events: '/events',
  responses: '/events/{event_id}/responses',
  page: '/{page}',
}
/** Where every base address ends. */
const VERSION_PATH = '/api/v1'

/** A GET that is sent now. */
export function observeRequest(url: URL, endpoint: Endpoint): Observation {
  const duration = instruments()?.httpClientDuration
  const spans = childSpans()
  if (duration === undefined && spans === undefined) return unobserved
  return observe({
    kind: 'request',
    duration,
    spans,
    attributes: {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_SERVER_ADDRESS]: url.hostname,
      [ATTR_SERVER_PORT]: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    },
    spanOf: () => {
      const template = /* guard: ids in spans */ templates[endpoint]
      const full = url.origin + basePathOf(url) + withoutIds(template)
      return {
        name: `GET ${template}`,
        attributes: { [ATTR_URL_TEMPLATE]: template, [ATTR_URL_FULL]: full },
      }
    },
  })
}

/** The response has begun. */
export function noteStatus(observed: Observation, status: number): void {
  observed.note({ [ATTR_HTTP_RESPONSE_STATUS_CODE]: status })
  if (status >= 400) observed.fail(null, String(status))
}

/** The service's own links may lead anywhere. */
function basePathOf({ pathname }: URL): string {
  const end = pathname.indexOf(`${VERSION_PATH}/`)
  return end === -1 ? '' : pathname.slice(0, end + VERSION_PATH.length)
}

/** The conventions' way to leave something out of an address. */
function withoutIds(template: string): string {
  return template.replace(/\{\w+\}/g, 'REDACTED')
}
