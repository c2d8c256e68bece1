import type { Command } from './context.ts'
import { mirror, type MirroringFlags } from './mirroring.ts'

type SyncFlags = MirroringFlags & {
  readonly all?: true
  readonly acceptDeletions?: true
  readonly adopt?: true
}

export const sync: Command<SyncFlags> = (context) =>
  mirror(context, async () => (await import('../index.ts')).sync, {
    all: context.flags.all ?? false,
    acceptDeletions: context.flags.acceptDeletions ?? false,
    adopt: context.flags.adopt ?? false,
  })
