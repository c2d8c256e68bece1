import { sql } from 'kysely'
import type { Flags } from '../config.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Command } from './context.ts'
import { requireAccount } from './known-account.ts'
import { readMirror } from './mirror.ts'
import { cleanLine } from './print/clean.ts'
import { writeJson } from './print/json.ts'
import { formatBytes, formatCount } from './print/number.ts'
import { drawTable, shorten } from './print/table.ts'
import type { Output } from './terminal.ts'

type RejectsFlags = Flags & { readonly json?: true; readonly limit: number }

/** The beginning of an item, on one line; the JSON has it whole (up to 64 KiB). */
const PAYLOAD_COLUMNS = 100
/** Digits of a SHA-256 that are shown: enough to tell items apart, and `rejects accept` takes them. */
const SUM_DIGITS = 12

export function shownSum(sha256: string): string {
  return sha256.slice(0, SUM_DIGITS)
}

export const rejects: Command<RejectsFlags> = async (context) => {
  const { flags, terminal } = context
  const found = await readMirror(context, async (database, { account }) => {
    await requireAccount(database, account)
    return database.transaction((trx) => readRejects(trx, account, flags.limit), { readOnly: true })
  })
  if (flags.json) await writeJson(terminal.out, { rejects: found })
  else
    await terminal.out.write(
      found.length === 0 ? 'Nothing is rejected.\n' : formatRejects(found, terminal.out),
    )
  return 0
}

type Reject = Awaited<ReturnType<typeof readRejects>>[number]

async function readRejects({ kysely }: Transaction, account: string | null, limit: number) {
  const rows = await kysely
    .selectFrom('headcount.rejects as reject')
    .innerJoin('headcount.accounts as account', 'account.id', 'reject.account_id')
    .select([
      'account.name as account',
      'reject.event_id',
      'reject.item_index',
      'reject.reason',
      'reject.path',
    ])
    .select(['reject.payload', 'reject.sha256', 'reject.run_id', 'reject.seen_at'])
    .select(sql<number>`reject.bytes::float8`.as('bytes'))
    .leftJoin('headcount.reject_acceptances as kept', (join) =>
      join
        .onRef('kept.account_id', '=', 'reject.account_id')
        .on('kept.event_id', 'is not distinct from', sql.ref('reject.event_id'))
        .onRef('kept.sha256', '=', 'reject.sha256'),
    )
    .select('kept.accepted_at')
    .$if(account !== null, (query) => query.where('account.name', '=', account))
    .orderBy('account.id')
    .orderBy('reject.event_id')
    .orderBy('reject.item_index')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, run_id: Number(row.run_id) }))
}

function formatRejects(found: readonly Reject[], out: Output): string {
  const table = drawTable(
    [
      { heading: 'account' },
      { heading: 'event' },
      { heading: 'sha256' },
      { heading: 'reason' },
      { heading: 'path' },
      { heading: 'size', align: 'right' },
      { heading: 'accepted' },
      { heading: 'item' },
    ],
    found.map((reject) => [
      cleanLine(reject.account),
      reject.event_id === null ? '(the list of events)' : cleanLine(reject.event_id),
      out.isTerminal ? shownSum(reject.sha256) : reject.sha256,
      reject.reason,
      cleanLine(reject.path),
      formatBytes(reject.bytes),
      reject.accepted_at?.slice(0, 10) ?? 'no',
      shorten(cleanLine(reject.payload), PAYLOAD_COLUMNS),
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
  return `${table}(${formatCount(found.length, 'item')})\n`
}
