/** The service with the sample account, in a container of its own beside those of docker-compose.yml. */
import { readFileSync } from 'node:fs'
import { createSampleAccount } from '../../src/commands/demo/account/account.ts'
import { createHttpService } from '../../src/server/http-service.ts'
import { createMemoryStore } from '../../src/server/stores/memory-store.ts'

const account = createSampleAccount({ seed: 7, now: new Date() })
const apiKey = readFileSync('/run/secrets/api_key', 'utf8').trim()
const service = createHttpService({ store: createMemoryStore({ apiKey, account }) })
await service.listen({ host: '0.0.0.0', port: 8090 })
process.once('SIGTERM', () => void service.close())
