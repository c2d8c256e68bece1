import type { Command } from './context.ts'
import { mirror, type MirroringFlags } from './mirroring.ts'

type BackfillFlags = MirroringFlags & { readonly restart?: true }

export const backfill: Command<BackfillFlags> = (context) =>
  mirror(context, async () => (await import('../index.ts')).backfill, {
    restart: context.flags.restart ?? false,
  })
