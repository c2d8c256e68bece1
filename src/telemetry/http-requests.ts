/** HTTP requests to the service, by the semantic conventions of OpenTelemetry. */
import type { Attributes } from '@opentelemetry/api'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
} from '@opentelemetry/semantic-conventions'
import { instruments } from './instruments.ts'
import { childSpans } from './child-spans.ts'
import { Observation, type Observers } from './observation.ts'

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

/** Observes a GET that is sent now. */
export type ObserveRequest = (url: URL, endpoint: Endpoint) => RequestObservation

/** For the requests of a run, whose observers are looked for once, when it opens its source; null where nobody looks. */
export function requestObserver(): ObserveRequest | null {
  const duration = instruments()?.httpClientDuration
  const spans = childSpans()
  if (duration === undefined && spans === undefined) return null
  const observers = { duration, spans }
  return (url, endpoint) => new RequestObservation(observers, url, endpoint)
}

class RequestObservation extends Observation {
  protected readonly kind = 'request'
  readonly #url: URL
  readonly #endpoint: Endpoint
  #status: number | null = null

  constructor(observers: Observers, url: URL, endpoint: Endpoint) {
    super(observers)
    this.#url = url
    this.#endpoint = endpoint
  }

  /** The response has begun. */
  noteStatus(status: number): void {
    this.#status = status
    if (status >= 400) this.errorType = String(status)
  }

  protected attributes(): Attributes {
    return attributesOf(this.#url, this.#status, this.errorType)
  }

  protected span() {
    const template = /* guard: ids in spans */ templates[this.#endpoint]
    // The conventions' way to leave something out of an address.
    const path = template.replace(/\{\w+\}/g, 'REDACTED')
    const full = this.#url.origin + basePathOf(this.#url) + path
    return {
      name: `GET ${template}`,
      attributes: { [ATTR_URL_TEMPLATE]: template, [ATTR_URL_FULL]: full },
    }
  }
}

interface Server {
  /** Of its addresses. */
  readonly prefix: string
  readonly attributes: Attributes
  /** By status and kind of failure: one frozen object each, which the SDK of the command hashes once. */
  readonly outcomes: Map<string | number | null, Attributes>
}

const servers = new Map<string, Server>()
/** A run makes thousands of requests to one server, and to take an address apart costs more than to count. */
let latest: Server | null = null

function serverOf(url: URL): Server {
  if (latest !== null && url.href.startsWith(latest.prefix)) return latest
  const prefix = `${url.origin}/`
  latest = servers.get(prefix) ?? {
    prefix,
    attributes: {
      [ATTR_HTTP_REQUEST_METHOD]: 'GET',
      [ATTR_SERVER_ADDRESS]: url.hostname,
      [ATTR_SERVER_PORT]: Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
    },
    outcomes: new Map(),
  }
  servers.set(prefix, latest)
  return latest
}

function attributesOf(url: URL, status: number | null, errorType: string | null): Attributes {
  const { attributes, outcomes } = serverOf(url)
  const outcome = errorType === null ? status : `${status} ${errorType}`
  const known = outcomes.get(outcome)
  if (known !== undefined) return known
  const made: Attributes = Object.freeze({
    ...attributes,
    ...(status !== null && { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
    ...(errorType !== null && { [ATTR_ERROR_TYPE]: errorType }),
  })
  // As many as the metric has series, which the SDK keeps too.
  outcomes.set(outcome, made)
  return made
}

/** The service's own links may lead anywhere. */
function basePathOf({ pathname }: URL): string {
  const end = pathname.indexOf(`${VERSION_PATH}/`)
  return end === -1 ? '' : pathname.slice(0, end + VERSION_PATH.length)
}
