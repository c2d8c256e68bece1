import type { Flags } from '../config.ts'
import { readAccounts, type AccountStatus } from './account-status.ts'
import { UsageError } from '../errors.ts'
import type { Command, Context } from './context.ts'
import { readEvent } from './event-status.ts'
import { readMirror } from './mirror.ts'
import { clean } from './print/clean.ts'
import { formatDuration } from './print/duration.ts'
import { formatEvents } from './print/event-status.ts'
import { writeJson } from './print/json.ts'
import { formatStatus } from './print/status.ts'
import { isRecordRejected } from './rejected-record.ts'

type StatusFlags = Flags & {
  readonly json?: true
  /** Milliseconds. */
  readonly maxAge?: number
  /** The id of the one event to show. */
  readonly event?: string
}

/** The mirror is older than `--max-age` allows: as if some events could not be read. */
const TOO_OLD = 6

export const status: Command<StatusFlags> = async (context) => {
  const { flags, terminal } = context
  if (flags.event !== undefined) return eventStatus(context, flags.event)
  const accounts = await readMirror(context, (database, { run }) =>
    database.transaction((trx) => readAccounts(trx, run), { readOnly: true }),
  )
  if (flags.json) await writeJson(terminal.out, { accounts })
  else await terminal.out.write(formatStatus(accounts, terminal.out))
  const late = flags.maxAge === undefined ? [] : tooOld(accounts, flags.maxAge)
  for (const line of late) await terminal.err.write(`headcount: ${clean(line)}\n`)
  return late.length > 0 ? TOO_OLD : 0
}

async function eventStatus(context: Context<StatusFlags>, id: string): Promise<number> {
  const { flags, terminal } = context
  const { events, isKnown } = await readMirror(context, (database, { run }) =>
    database.transaction(
      async (trx) => ({
        events: await readEvent(trx, id, run),
        isKnown: await isRecordRejected(trx.kysely, null, id),
      }),
      { readOnly: true },
    ),
  )
  if (events.length === 0) {
    throw new UsageError(
      isKnown
        ? `Event "${id}" is listed, but its record is rejected: nothing of it is in the mirror. See why with: headcount rejects.`
        : `The mirror has no event "${id}". See the ids with: headcount query "select id, title from events".`,
    )
  }
  if (flags.json) await writeJson(terminal.out, { events })
  else await terminal.out.write(formatEvents(events, terminal.out))
  return 0
}

function tooOld(accounts: readonly AccountStatus[], maxAgeMs: number): string[] {
  if (accounts.length === 0) return ['no account was ever mirrored here']
  return accounts.flatMap(({ account, age_ms }) => {
    if (age_ms === null) return [`account ${account} had no good run yet`]
    if (age_ms <= maxAgeMs) return []
    return [
      `the last good run of account ${account} ended ${formatDuration(age_ms)} ago, more than ${formatDuration(maxAgeMs)}`,
    ]
  })
}
