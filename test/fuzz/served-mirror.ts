/** The sample account, mirrored into a Postgres of its own and served from there, with a key that opens it. */
import { connect } from '../../src/db/connect.ts'
import { createService, sync } from '../../src/index.ts'
import { openSampleService } from '../../src/commands/demo/sample-service.ts'
import { startPostgres } from '../support/databases/postgres.ts'
import { newKey } from '../support/mirror/new-key.ts'

export interface ServedMirror extends AsyncDisposable {
  /** Ends in `/api/v1`. */
  readonly url: string
  readonly key: string
}

/** @param onError told what went wrong inside while something was answered */
export async function openServedMirror(onError: (error: unknown) => void): Promise<ServedMirror> {
  await using opened = new AsyncDisposableStack()
  const postgres = await startPostgres()
  opened.defer(postgres.stop)
  const database = `${postgres.url}/mirror_template`
  await mirrorSample(database)
  const key = await keyOf(database)
  const service = createService({ database, onError })
  opened.defer(() => service.close())
  const { url } = await service.listen({ host: '127.0.0.1', port: 0 })
  const resources = opened.move()
  return { url, key, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

async function mirrorSample(database: string): Promise<void> {
  await using sample = await openSampleService()
  const { status, set_aside } = await sync({ database, apiKey: sample.apiKey, baseUrl: sample.url })
  if (status !== 'succeeded' || set_aside > 0)
    throw new Error(`The sample account was not mirrored whole: ${status}`)
}

async function keyOf(url: string): Promise<string> {
  await using database = await connect(url)
  return await newKey(database)
}
