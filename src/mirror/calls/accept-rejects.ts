import { commandName } from '../../common/command-name.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import {
  acceptRejects,
  revokeAccepted,
  findByHashPrefix,
  type RejectScope,
} from '../../load/state/accepted-rejects.ts'
import { defineChange } from './call.ts'
import { accountFields, arrayOf, boolean, object, orNull, text } from './input.ts'

/** Fewer digits would often match several items. */
const MIN_DIGITS = 8

const readInput = object({
  ...accountFields,
  event_id: orNull(text),
  /** Digits with which the SHA-256 of each item begins. */
  prefixes: arrayOf('texts', text),
  /** Withdraws an acceptance. */
  revokes: boolean,
})

/** Marks rejects that the owner can live with, or takes that back: all that were named, or none. */
export const acceptRejectsCall = defineChange(
  'accept-rejects',
  readInput,
  async (trx, { prefixes, revokes, ...scope }) => {
    const sums = await Array.fromAsync(prefixes, (prefix) => sumOf(trx, scope, prefix, revokes))
    return (revokes ? revokeAccepted : acceptRejects)(trx, scope, sums)
  },
)

/** @throws UsageError unless the prefix means one item. */
async function sumOf(
  trx: Transaction,
  scope: RejectScope,
  prefix: string,
  revokes: boolean,
): Promise<string> {
  const table = revokes ? 'headcount.accepted_rejects' : 'headcount.rejects'
  const sums = await findByHashPrefix(trx, table, scope, prefix)
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
      ? `rejects accept: nothing${where} was accepted whose SHA-256 begins with ${prefix}: ${commandName()} query "table accepted_rejects" shows what was`
      : `rejects accept: no reject${where} has a SHA-256 that begins with ${prefix}: ${commandName()} rejects shows them, and an item that changed has another one`,
  )
}

/** @throws UsageError unless it is a SHA-256 or begins one */
export function parseHashPrefix(operand: string): string {
  const prefix = operand.toLowerCase()
  if (/^[0-9a-f]*$/.test(prefix) && prefix.length >= MIN_DIGITS && prefix.length <= 64) return prefix
  throw new UsageError(
    `rejects accept: ${JSON.stringify(operand.slice(0, 70))} is no SHA-256 of an item, nor the first ${MIN_DIGITS} digits of one or more: ` +
      `${commandName()} rejects shows them`,
  )
}
