import { Pool } from 'pg'
import { sync } from '../../../src/index.ts'
import { letPass, readTables } from '../../../test/simulation/play/clock.ts'
import type { Mirror } from '../../engines/engine.ts'
import type { LivingEvent } from './living-account.ts'
import { MINUTE } from './living-account.ts'
import { startLivingService } from './living-service.ts'
import { requestsOf } from './ticks.ts'
import type { Tick } from './ticks.ts'

/** What a run looks at to choose what is due; with the time of each event the simulated time passes for all it knows. */
const TABLES_OF_TIME = ['sync_state', 'sync_runs']

/**
 * The same runs as `foretell`, by `sync` itself over HTTP and Postgres: between two runs, what the mirror has stored
 * moves into the past.
 */
export async function* realTicks(
  events: readonly LivingEvent[],
  moments: readonly number[],
  mirror: Mirror,
): AsyncGenerator<Tick> {
  const origin = Math.floor(Date.now() / 1000) * 1000
  await using service = await startLivingService(events, origin)
  const pool = new Pool({ connectionString: mirror.url, max: 5 })
  const ask = async (text: string) => (await pool.query<(string | null)[]>({ text, rowMode: 'array' })).rows
  try {
    const tables = await readTables(ask)
    const times = new Map([...tables.times].filter(([table]) => TABLES_OF_TIME.includes(table)))
    for (const [place, now] of moments.entries()) {
      service.moveTo(now)
      const {
        status,
        events: counted,
        requests,
      } = await sync({ pool, baseUrl: service.baseUrl, apiKey: 'bench' })
      const asked = service.asked()
      const tick = { now, listed: counted.listed, read: asked.read }
      if (status !== 'succeeded' || asked.requests !== requests || requests !== requestsOf(tick)) {
        throw new Error(`The run ${status} after ${requests} requests; the service saw ${asked.requests}.`)
      }
      yield tick
      const minutes = ((moments[place + 1] ?? now) - now) / MINUTE
      await letPass(ask, { ...tables, times }, minutes)
      await ask(`update headcount.events set event_at = event_at - interval '${minutes} minutes'`)
    }
  } finally {
    await pool.end()
  }
}
