import type { Flags } from '../../config/config.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import { deletePruneBatch, findPrunableVersions, setHistoryFloor } from '../../mirror/prune.ts'
import type { PrunableVersions } from '../../mirror/prune.ts'
import { canAsk, confirm } from '../terminal/confirm.ts'
import type { Command } from '../cli/context.ts'
import { resolveInstant } from '../../mirror/instants/instant.ts'
import { requireAccount } from '../../mirror/resolve-account.ts'
import { changeMirror } from '../open-mirror.ts'
import type { InstantInput } from '../../mirror/instants/moment.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBytes, formatCount, formatNumber } from '../output/format/number.ts'
import { drawTable } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'

type PruneFlags = Flags & {
  readonly historyBefore: InstantInput
  readonly yes?: true
  readonly json?: true
}

/** Versions of one transaction: well below a second on PGlite, whose statements cannot be interrupted. */
const VERSIONS_PER_PIECE = 2000

/** Deletes former versions that ended before a moment, after it has shown which and was told to. */
export const prune: Command<PruneFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const { out, err } = terminal
  return changeMirror(context, async (database, { account }) => {
    await requireAccount(database, account)
    const before = await database.transaction((trx) => pastInstant(trx, flags.historyBefore), {
      readOnly: true,
    })
    const old = await database.transaction((trx) => findPrunableVersions(trx, account, before), {
      readOnly: true,
    })
    await err.write(describe(old, before, err))
    const pruned = old.length > 0 && (flags.yes ?? (await isWanted(context)))
    if (pruned) {
      const deleted = await pruneAll(database, old, before, signal)
      await err.write(`Deleted ${formatCount(deleted, 'version')}.\n`)
    } else if (old.length > 0) await err.write('Nothing was deleted.\n')
    if (flags.json) {
      const tables = old.map(({ account_id: _, ...table }) => table)
      await writeJson(out, { history_before: before, pruned, tables })
    }
    return 0
  })
}

/** @throws UsageError when the moment is yet to come. */
async function pastInstant(trx: Transaction, moment: InstantInput): Promise<string> {
  const { instant, now, is_past } = await resolveInstant(trx, moment)
  if (is_past) return instant
  throw new UsageError(
    `${instant} is yet to come: the clock of the database says ${now}. Name a moment of the past.`,
  )
}

async function isWanted({ terminal, signal }: Parameters<typeof prune>[0]): Promise<boolean> {
  if (canAsk(terminal)) return confirm('Delete them for ever?', terminal, signal)
  throw new UsageError(
    'prune: nothing was deleted, for there is no terminal to ask on. Add --yes to delete what is listed.',
  )
}

async function pruneAll(
  database: Database,
  old: readonly PrunableVersions[],
  before: string,
  signal: AbortSignal,
): Promise<number> {
  for (const account of new Set(old.map(({ account_id }) => account_id))) {
    await database.transaction((trx) => setHistoryFloor(trx, account, before))
  }
  let total = 0
  for (const table of old) {
    let since: string | null = null
    for (;;) {
      signal.throwIfAborted()
      const { deleted, ended } = await database.transaction((trx) =>
        deletePruneBatch(trx, table, before, since, VERSIONS_PER_PIECE),
      )
      if (deleted === 0) break
      total += deleted
      since = ended
    }
  }
  return total
}

function describe(old: readonly PrunableVersions[], before: string, err: Output): string {
  if (old.length === 0) return `No former version ended before ${before}: there is nothing to prune.\n`
  const table = drawTable(
    [
      { heading: 'account' },
      { heading: 'table' },
      { heading: 'versions', align: 'right' },
      { heading: 'from' },
      { heading: 'to' },
      { heading: 'size', align: 'right' },
    ],
    old.map(({ account, table, versions, from, to, bytes }) => [
      stripControlCharsInLine(account),
      table,
      formatNumber(versions),
      from.slice(0, 10),
      to.slice(0, 10),
      formatBytes(bytes),
    ]),
    { width: err.width, styleHeading: (text) => err.style('bold', text) },
  )
  return `Former versions that ended before ${before}:\n${table}`
}
