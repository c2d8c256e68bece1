import { sql } from 'kysely'
import type { Flags } from '../config.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Command } from './context.ts'
import { readMirror } from './mirror.ts'
import { cleanLine } from './print/clean.ts'
import { writeJson } from './print/json.ts'
import { formatBytes, formatCount } from './print/number.ts'
import { drawTable, shorten } from './print/table.ts'
import type { Output } from './terminal.ts'

type RejectsFlags = Flags & { readonly json?: true; readonly limit: number }

/** The beginning of an item, on one line; the JSON has it whole (up to 64 KiB). */
const PAYLOAD_COLUMNS = 100

export const rejects: Command<RejectsFlags> = async (context) => {
  const { flags, terminal } = context
  const found = await readMirror(context, (database, { account }) =>
    database.transaction((trx) => readRejects(trx, account, flags.limit), { readOnly: true }),
  )
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
      { heading: 'reason' },
      { heading: 'path' },
      { heading: 'size', align: 'right' },
      { heading: 'item' },
    ],
    found.map((reject) => [
      cleanLine(reject.account),
      reject.event_id === null ? '(the list of events)' : cleanLine(reject.event_id),
      reject.reason,
      cleanLine(reject.path),
      formatBytes(reject.bytes),
      shorten(cleanLine(reject.payload), PAYLOAD_COLUMNS),
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
  return `${table}(${formatCount(found.length, 'item')})\n`
}
