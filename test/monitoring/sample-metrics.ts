import { metrics } from '@opentelemetry/api'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { PGlite } from '@electric-sql/pglite'
import { status, sync } from '../../src/index.ts'
import { ScrapeReader } from '../../src/telemetry/sdk/scrape-reader.ts'
import { statusText } from '../../src/telemetry/sdk/status-text.ts'
import { accountOf } from '../support/accounts/account.ts'
import { send, startFaultServer } from '../support/http/fault-server.ts'

const apiKey = 'key-of-the-sample'

/** What `/metrics` and `status --format prometheus` say after two runs, of which the first was slowed down. */
export async function sampleMetrics(): Promise<readonly string[]> {
  const reader = new ScrapeReader()
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
  await using service = await startFaultServer()
  const account = accountOf({ gala: 20, picnic: 3 })
  account.keys = [apiKey]
  account.of('gala').push('no item')
  service.at('/events/gala/responses', send({ status: 429, headers: { 'Retry-After': '0' } }))
  service.always(send((request) => account.answer(request)))
  const pglite = await PGlite.create()
  try {
    await sync({ pglite, apiKey, baseUrl: service.baseUrl.href })
    account.of('gala').length = 0
    await sync({ pglite, apiKey, baseUrl: service.baseUrl.href, all: true })
    return [await reader.text(), await statusText({ accounts: await status({ pglite }), faultyEntries: 0 })]
  } finally {
    await pglite.close()
  }
}
