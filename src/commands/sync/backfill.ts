import type { Command } from '../cli/context.ts'
import { runSync, type RunFlags } from './run-command.ts'

type BackfillFlags = RunFlags & { readonly restart?: true }

export const backfill: Command<BackfillFlags> = (context) =>
  runSync(context, async () => (await import('../../sync/run.ts')).backfill, {
    restart: context.flags.restart ?? false,
  })
