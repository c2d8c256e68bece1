import { confirmOrRefuse } from '../terminal/confirm.ts'
import { findPrunableVersions, pruneVersions, requirePastInstant } from '../../mirror/prune.ts'
import type { PrunableVersions } from '../../mirror/prune.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { requireAccount } from '../../mirror/accounts/resolve-account.ts'
import { withMirror } from '../open-mirror.ts'
import type { InstantInput } from '../../mirror/instants/parse-instant.ts'
import { writeJson } from '../output/format/json.ts'
import { formatBytes, formatCount, formatNumber } from '../../common/text/number.ts'
import { listTable, right } from '../output/format/table.ts'
import type { Output } from '../terminal/terminal.ts'

type PruneFlags = JsonFlags & {
  readonly historyBefore: InstantInput
  readonly yes?: true
}

const PRUNING = { question: 'Delete them for ever?', notDone: 'prune: nothing was deleted', verb: 'delete' }

/** Deletes former versions that ended before a moment: shows which, and asks. */
export const prune: Command<PruneFlags> = async (context) => {
  const { flags, terminal, signal } = context
  const { out, err } = terminal
  return withMirror(context, async (database, { account }) => {
    await requireAccount(database, account)
    const before = await database.transaction((trx) => requirePastInstant(trx, flags.historyBefore), {
      readOnly: true,
    })
    const old = await database.transaction((trx) => findPrunableVersions(trx, account, before), {
      readOnly: true,
    })
    await err.write(describe(old, before, err))
    const pruned = old.length > 0 && /* guard: asks first */ (await confirmOrRefuse(context, PRUNING))
    if (pruned) {
      const deleted = await pruneVersions(database, old, before, signal)
      await err.write(`Deleted ${formatCount(deleted, 'version')}.\n`)
    } else if (old.length > 0) await err.write('Nothing was deleted.\n')
    if (flags.json) {
      const tables = old.map(({ account_id: _, ...table }) => table)
      await writeJson(out, { history_before: before, pruned, tables })
    }
    return 0
  })
}

function describe(old: readonly PrunableVersions[], before: string, err: Output): string {
  if (old.length === 0) return `No former version ended before ${before}: there is nothing to prune.\n`
  const table = listTable(err, old, [
    ['account', ({ account }) => account],
    ['table', (versions) => versions.table],
    [right('versions'), ({ versions }) => formatNumber(versions)],
    ['from', ({ from }) => from.slice(0, 10)],
    ['to', ({ to }) => to.slice(0, 10)],
    [right('size'), ({ bytes }) => formatBytes(bytes)],
  ])
  return `Former versions that ended before ${before}:\n${table}`
}
