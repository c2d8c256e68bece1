/** Checks of the service: DNS name, certificate, key, one list. */
import { once } from 'node:events'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { ServiceConfig } from '../../../config/config.ts'
import { CrossOriginError, NotFoundError } from '../../../common/errors.ts'
import { withoutBrackets } from '../../../common/listen.ts'
import { optionName } from '../../../common/options/option-names.ts'
import { withNamesOf } from '../../open-log.ts'
import { createSource, type Source, type SourceOptions } from '../../../source/api.ts'
import { formatDuration } from '../../../common/text/format-duration.ts'
import { EventListReader } from '../../../normalise/list/event-list.ts'
import { formatBytes, formatCount } from '../../../common/text/number.ts'
import { UNREACHABLE, USAGE, failed, failure, ok, skipped, warning, type CheckResult } from './check.ts'

const TLS_DEADLINE_MS = 10_000
/** Somebody waits for what is found: that the service asks for a longer pause is what was found. */
const MAX_PAUSE_MS = 5_000
const DAY_MS = 86_400_000
/** A certificate that ends sooner should have been renewed by now. */
const RENEWED_BEFORE_MS = 14 * DAY_MS
/** More than this is no network delay. */
const CLOCK_TOLERANCE_MS = 60_000

export async function checkName(config: ServiceConfig): Promise<CheckResult> {
  const { proxy, baseUrl } = config.service
  const { hostname } = proxy ?? baseUrl
  const host = withoutBrackets(hostname)
  // The proxy looks up the name of the service.
  const behind = proxy === null ? '' : `, a proxy that leads to ${baseUrl.host}`
  if (isIP(host)) return ok(`${host} is an address${behind}`)
  try {
    const addresses = await lookup(host, { all: true })
    return ok(`${host} is ${addresses.map(({ address }) => address).join(', ')}${behind}`)
  } catch {
    const given = proxy === null ? 'the base address' : withNamesOf(config, () => optionName('proxy'))
    return failed(UNREACHABLE, `${host} is not known: check ${given} and the network (DNS)`)
  }
}

export async function checkTls({ service }: ServiceConfig, signal: AbortSignal): Promise<CheckResult> {
  const { protocol, hostname, port } = service.baseUrl
  if (protocol === 'http:') return skipped('plain http: nothing to check')
  if (service.proxy !== null) return skipped(`reached through the proxy ${service.proxy.host}`)
  const host = withoutBrackets(hostname)
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(TLS_DEADLINE_MS)])
  const socket = connect({ host, port: Number(port || 443), ...(isIP(host) ? {} : { servername: host }) })
  try {
    await once(socket, 'secureConnect', { signal: deadline })
    return describeCertificate(
      Date.parse(socket.getPeerCertificate().valid_to),
      socket.getProtocol() ?? 'TLS',
    )
  } catch (error) {
    if (deadline.aborted)
      return failed(UNREACHABLE, `no answer from ${host} within ${formatDuration(TLS_DEADLINE_MS)}`)
    return failed(
      UNREACHABLE,
      `${reasonOf(error)}: check the base address, this machine's clock, and NODE_EXTRA_CA_CERTS if your network has its own authority, or NODE_USE_SYSTEM_CA=1 where this machine trusts it`,
    )
  } finally {
    socket.destroy()
  }
}

/** OpenSSL's own messages are lines of its source code; its reason is in words. Node's advice is a flag of Node, which nobody gives here. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : error.message
  return reason.replace(/; if the root CA is installed locally.*$/, '')
}

function describeCertificate(validTo: number, protocol: string): CheckResult {
  const left = validTo - Date.now()
  const detail = `${protocol}, the certificate is valid for another ${formatDuration(left)}`
  return left < RENEWED_BEFORE_MS ? warning(`${detail}: the service should renew it`) : ok(detail)
}

/** Asks the service with the key and the limits of an account. */
export function withSource<T>(
  config: ServiceConfig,
  options: Pick<SourceOptions, 'signal' | 'host'>,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const { baseUrl, apiKey, proxy } = config.service
  const { requestTimeoutMs, maxBodyBytes } = config.run
  return withNamesOf(config, async () => {
    const limits = { requestTimeoutMs, maxBodyBytes, maxPauseMs: MAX_PAUSE_MS }
    const source = createSource({ baseUrl, apiKey, proxy, ...limits, ...options })
    try {
      return await work(source)
    } finally {
      await source.close()
    }
  })
}

/** What /ping told: who we are, and the service's clock. */
export interface PingResponse {
  readonly email: string | null
  readonly serverDate: Date | null
  readonly askedAt: number
  readonly answeredAt: number
}

export async function checkKey(
  source: Source,
): Promise<{ finding: CheckResult; answer: PingResponse | null }> {
  const askedAt = Date.now()
  try {
    const { email, serverDate } = await source.ping()
    const finding = ok(
      email === null ? 'accepted; the service names no e-mail' : `accepted, it belongs to ${email}`,
    )
    return { finding, answer: { email, serverDate, askedAt, answeredAt: Date.now() } }
  } catch (error) {
    return { finding: serviceFailure(error), answer: null }
  }
}

export async function checkList(source: Source): Promise<CheckResult> {
  try {
    using reading = await source.events()
    const reader = new EventListReader(reading)
    await reading.readThrough(reader)
    const detail = `${formatCount(reader.count, 'event')} in ${formatBytes(reading.bytes)}`
    return ok(detail)
  } catch (error) {
    return serviceFailure(error)
  }
}

/** At the base address a 404 or a way elsewhere means that the address is wrong. */
function serviceFailure(error: unknown): CheckResult {
  const isWrongAddress = error instanceof NotFoundError || error instanceof CrossOriginError
  if (!isWrongAddress) return failure(error, UNREACHABLE)
  return failed(USAGE, `${error.message}\nCheck the base address; it usually ends in /api/v1.`)
}

export function checkClock({ serverDate, askedAt, answeredAt }: PingResponse): CheckResult {
  if (serverDate === null) return skipped('the service sends no Date header')
  // The header has whole seconds; the answer was made at some moment between asking and hearing.
  const early = askedAt - 1000 - serverDate.getTime()
  const late = serverDate.getTime() - answeredAt
  const difference = Math.max(early, late, 0)
  if (difference <= CLOCK_TOLERANCE_MS)
    return ok(`this machine and the service agree within ${formatDuration(Math.max(difference, 1000))}`)
  const direction = early > 0 ? 'ahead of' : 'behind'
  return warning(
    `this machine is ${formatDuration(difference)} ${direction} the service: set its clock (NTP)`,
  )
}
