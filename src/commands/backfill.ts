import type { Command } from './context.ts'
import { mirror, type MirroringFlags } from './mirroring.ts'

export const backfill: Command<MirroringFlags> = (context) =>
  mirror(context, async () => (await import('../index.ts')).backfill)
