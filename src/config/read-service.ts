import { isUnprotected } from '../source/url.ts'
import type { SettingsReader } from './reading.ts'
import { settings } from './settings.ts'

/** How the service is reached, and with which key. */
export interface ServiceSettings {
  readonly baseUrl: URL
  readonly apiKey: string
  /** The variable or the file that holds it, for messages. */
  readonly apiKeyFrom: string
  readonly allowHttp: boolean
  /** The HTTP proxy that leads to the service; null: none does. */
  readonly proxy: URL | null
}

/** Where the key comes from, and what to do about what is missing. */
interface ServiceReading {
  /** null: there is none, or it is faulty, and the reader has the fault. */
  readonly readKey: () => string | null | Promise<string | null>
  readonly apiKeyFrom: string
  readonly baseUrlRemedy: string
  /** What allows plain http, as it is written. */
  readonly allowHttp: string
}

/** Null when something is missing or faulty: the reader has the faults. */
export async function readService(
  reading: SettingsReader,
  { readKey, apiKeyFrom, baseUrlRemedy, allowHttp: allowing }: ServiceReading,
): Promise<ServiceSettings | null> {
  const baseUrl = await reading.demand(settings.baseUrl, baseUrlRemedy)
  const apiKey = await readKey()
  const allowHttp = await reading.take(settings.allowHttp)
  // guard: plain http
  if (baseUrl && !allowHttp && isUnprotected(baseUrl)) {
    reading.faults.push(
      `${reading.nameOf(settings.baseUrl)} would send the key over plain http to another machine: ` +
        `use https://, or ${allowing} if that is what you want`,
    )
  }
  if (baseUrl === null || apiKey === null) return null
  const proxy = reading.proxyFor(baseUrl)
  return Object.freeze({ baseUrl, apiKey, apiKeyFrom, allowHttp, proxy })
}
