import { resultFormat } from './accounts/result-writer.ts'
import type { Command } from '../cli/context.ts'
import { withTelemetry } from './with-telemetry.ts'
import { runSync, type RunFlags } from './run-command.ts'

type SyncFlags = RunFlags & {
  readonly all?: true
  readonly acceptDeletions?: true
  readonly adopt?: true
  readonly dryRun?: true
  readonly applyToHistory?: true
}

/** Keys of each kind that a dry run shows to people; the JSON has all of them. */
const SHOWN_KEYS = 5

export const sync: Command<SyncFlags> = withTelemetry((context) =>
  runSync(context, async () => (await import('../../sync/run.ts')).sync, {
    all: context.flags.all ?? false,
    acceptDeletions: context.flags.acceptDeletions ?? false,
    adopt: context.flags.adopt ?? false,
    applyToHistory: context.flags.applyToHistory ?? false,
    ...(context.flags.dryRun && {
      dryRun: resultFormat(context.flags) === null ? { maxKeys: SHOWN_KEYS } : true,
    }),
  }),
)

export const backfill: Command<RunFlags & { readonly restart?: true }> = withTelemetry((context) =>
  runSync(
    context,
    async () => (await import('../../sync/run.ts')).backfill,
    { restart: context.flags.restart ?? false },
    'backfill',
  ),
)
