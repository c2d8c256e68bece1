/** Every guard that `npm run mutants` takes out, in the order of its table. */
import { commandGuards } from './guards/commands.ts'
import { databaseGuards } from './guards/database.ts'
import { deletionGuards } from './guards/deletions.ts'
import type { Guard } from './guards/guard.ts'
import { observationGuards } from './guards/observations.ts'
import { pageGuards } from './guards/pages.ts'
import { payloadGuards } from './guards/payload.ts'
import { runGuards } from './guards/run.ts'
import { serveGuards } from './guards/serve.ts'
import { serviceGuards } from './guards/service.ts'

export const guards: readonly Guard[] = [
  ...deletionGuards,
  ...pageGuards,
  ...serviceGuards,
  ...payloadGuards,
  ...databaseGuards,
  ...runGuards,
  ...observationGuards,
  ...commandGuards,
  ...serveGuards,
]

/** The source without the guard. @throws when its text is not there exactly once: a guard that moved must be followed. */
export function withoutGuard(source: string, { name, file, text, instead }: Guard): string {
  const found = source.split(text).length - 1
  if (found === 1) return source.replace(text, () => instead)
  throw new Error(
    `The guard "${name}" stands ${found} times in ${file}, not once. If it moved or changed, follow it in test/proof/guards.`,
  )
}
