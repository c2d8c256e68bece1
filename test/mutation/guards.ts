/** Every guard that `npm run mutants` takes out, in the order of its table. */
import { accountGuards } from './guards/accounts.ts'
import { commandGuards } from './guards/commands.ts'
import { databaseGuards } from './guards/database.ts'
import { deletionGuards } from './guards/deletions.ts'
import { deliveryGuards } from './guards/outputs/deliveries.ts'
import { digestGuards } from './guards/outputs/digests.ts'
import type { Guard } from './guards/guard.ts'
import { linkGuards } from './guards/outputs/links.ts'
import { observationGuards } from './guards/observations.ts'
import { pageGuards } from './guards/pages.ts'
import { payloadGuards } from './guards/payload.ts'
import { queueGuards } from './guards/orchestration/queue.ts'
import { reportGuards } from './guards/outputs/report.ts'
import { runGuards } from './guards/run.ts'
import { runPoolGuards } from './guards/orchestration/run-pool.ts'
import { serveGuards } from './guards/serve.ts'
import { serviceGuards } from './guards/service.ts'
import { telemetryGuards } from './guards/telemetry.ts'
import { transferGuards } from './guards/outputs/transfer.ts'

export const guards: readonly Guard[] = [
  ...deletionGuards,
  ...pageGuards,
  ...serviceGuards,
  ...payloadGuards,
  ...databaseGuards,
  ...runGuards,
  ...runPoolGuards,
  ...observationGuards,
  ...commandGuards,
  ...accountGuards,
  ...queueGuards,
  ...transferGuards,
  ...serveGuards,
  ...linkGuards,
  ...digestGuards,
  ...deliveryGuards,
  ...reportGuards,
  ...telemetryGuards,
]
