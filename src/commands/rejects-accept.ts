import { commandName } from '../command-name.ts'
import type { Flags } from '../config.ts'
import type { Transaction } from '../db/transaction.ts'
import { UsageError } from '../errors.ts'
import { acceptRejects, revokeAcceptances, sumsFrom } from '../load/acceptances.ts'
import type { Acceptance, AcceptanceScope } from '../load/acceptances.ts'
import type { Command } from './context.ts'
import { changeMirror } from './mirror.ts'
import { cleanLine } from './print/clean.ts'
import { writeJson } from './print/json.ts'
import { formatCount } from './print/number.ts'
import { shownSum } from './rejects.ts'

type AcceptFlags = Flags & { readonly json?: true; readonly event?: string; readonly revoke?: true }

/** Fewer digits would soon mean several items. */
const FEWEST_DIGITS = 8

/** Marks rejects that the owner can live with, or takes that back: all that were named, or none. */
export const rejectsAccept: Command<AcceptFlags> = async (context) => {
  const { flags, operands, terminal } = context
  const revokes = flags.revoke ?? false
  const prefixes = operands.map(readPrefix)
  const changed = await changeMirror(context, (database, { account }) =>
    database.transaction(async (trx) => {
      const scope = { account, event_id: flags.event ?? null }
      const sums: string[] = []
      for (const prefix of prefixes) sums.push(await sumOf(trx, scope, prefix, revokes))
      return revokes ? revokeAcceptances(trx, scope, sums) : acceptRejects(trx, scope, sums)
    }),
  )
  if (flags.json) await writeJson(terminal.out, revokes ? { revoked: changed } : { accepted: changed })
  else await terminal.err.write(describe(changed, revokes))
  return 0
}

function readPrefix(operand: string): string {
  const prefix = operand.toLowerCase()
  if (/^[0-9a-f]*$/.test(prefix) && prefix.length >= FEWEST_DIGITS && prefix.length <= 64) return prefix
  throw new UsageError(
    `rejects accept: ${JSON.stringify(operand.slice(0, 70))} is no SHA-256 of an item, nor the first ${FEWEST_DIGITS} digits of one or more: ` +
      `${commandName()} rejects shows them`,
  )
}

/** @throws UsageError unless the prefix means one item. */
async function sumOf(
  trx: Transaction,
  scope: AcceptanceScope,
  prefix: string,
  revokes: boolean,
): Promise<string> {
  const table = revokes ? 'headcount.reject_acceptances' : 'headcount.rejects'
  const sums = await sumsFrom(trx, table, scope, prefix)
  const [sum] = sums
  if (sum !== undefined && sums.length === 1) return sum
  const where = `${scope.event_id === null ? '' : ` of event ${scope.event_id}`}${scope.account === null ? '' : ` of account ${scope.account}`}`
  if (sum !== undefined) {
    throw new UsageError(
      `rejects accept: ${prefix} begins the SHA-256 of ${sums.length} items${where}: give more digits (${sums.slice(0, 5).join(', ')}${sums.length > 5 ? ' …' : ''})`,
    )
  }
  throw new UsageError(
    revokes
      ? `rejects accept: nothing${where} was accepted whose SHA-256 begins with ${prefix}: ${commandName()} query "table reject_acceptances" shows what was`
      : `rejects accept: no reject${where} has a SHA-256 that begins with ${prefix}: ${commandName()} rejects shows them, and an item that changed has another one`,
  )
}

function describe(changed: readonly Acceptance[], revokes: boolean): string {
  const lines = changed.map(
    ({ account, event_id, sha256 }) =>
      `  ${shownSum(sha256)} ${event_id === null ? 'in the list of events' : `of event ${cleanLine(event_id)}`}, account ${cleanLine(account)}\n`,
  )
  const count = formatCount(changed.length, 'item')
  const head = revokes
    ? `No longer accepted: ${count}, a cause for exit 8 again where the service still has it.\n`
    : `Accepted: ${count}, listed by ${commandName()} rejects, but no cause for exit 8 until the item changes.\n`
  return head + lines.join('')
}
