import type { Command } from '../cli/context.ts'
import { mirror, type MirroringFlags } from './run-command.ts'

type BackfillFlags = MirroringFlags & { readonly restart?: true }

export const backfill: Command<BackfillFlags> = (context) =>
  mirror(context, async () => (await import('../../sync/run.ts')).backfill, {
    restart: context.flags.restart ?? false,
  })
