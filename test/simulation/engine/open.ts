/** Opens the stage of a simulation on the engine of this name. */
import { openStage } from '../play/world.ts'
import type { Stage } from '../play/world.ts'

export const engines = ['pglite', 'postgres'] as const
export type EngineName = (typeof engines)[number]

export async function openStageOn(engine: EngineName): Promise<Stage> {
  // Loaded when asked for: the one need not wait for the other.
  if (engine === 'postgres') return openStage(await (await import('./postgres.ts')).openPostgres())
  return openStage(await (await import('./pglite.ts')).openPglite())
}
