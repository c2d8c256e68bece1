import { sql } from 'kysely'
import type { Timestamp } from '../../../common/schema/tables.ts'
import { version } from '../../../common/version.ts'
import type { Database } from '../../../db/connect.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { accountId, resolveAccount } from '../../accounts/resolve-account.ts'
import { singleRow } from '../../../load/statements.ts'
import { defineCall, type Caller } from '../../calls/call.ts'
import { accountFields, boolean, object, orNull, text } from '../../calls/input.ts'
import { statementLimitError } from '../../query/query-errors.ts'
import type { RunSummary } from '../../status/account-facts.ts'
import { readAccountStatuses } from '../../status/account-status.ts'
import { standing } from '../digest/digest-call.ts'
import { ofReadAccount, requireEvent } from '../read-view.ts'
import { standingOfEvent } from './event-standing.ts'
import { askWithin, type TimeLimit } from './ask.ts'
import type { ReportDocument, ReportedRun, ReportHead } from './document.ts'
import { readAccountReport } from './read-account.ts'
import { readEventReport } from './read-event.ts'
import { readWeekChanges, type ReportSource } from './week-changes.ts'

const readInput = object({
  ...accountFields,
  /** The page of one event; null: of the account. */
  event: orNull(text),
  with_personal: boolean,
})

/** What is read for a page, all of one moment. Where no account is named, it is the one that is meant. */
export const reportCall = defineCall({
  name: 'report',
  changes: false,
  readInput,
  run: (database, input, caller) => readReport(database, input, limitOf(caller)),
})

/** @throws UsageError for an unknown account or event; what `limit` throws */
export async function readReport(
  database: Database,
  { account: named, event, with_personal }: ReturnType<typeof readInput>,
  limit: TimeLimit | null,
): Promise<ReportDocument> {
  const account = await resolveAccount(database, named)
  return ofReadAccount(
    database,
    account,
    async (trx) => {
      if (event !== null) await requireEvent(trx, event, account)
      const ask = askWithin(trx, limit)
      const source = { ask, account_id: await accountId(trx, account), with_personal }
      const { head, notes } = await readHead(trx, source, account, event)
      return event === null
        ? { ...head, subject: 'account', ...(await readAccountReport(source, notes)) }
        : { ...head, subject: 'event', ...(await readEventReport(source, event)) }
    },
    {
      statementTimeoutMs: 0,
      ...(limit?.lockTimeoutMs !== undefined && { lockTimeoutMs: limit.lockTimeoutMs }),
    },
  )
}

async function readHead(trx: Transaction, source: ReportSource, account: string, event: string | null) {
  const moment = await source.ask(
    sql<{ made_at: Timestamp; time_zone: string }>`
      select now() as made_at, time_zone from headcount.accounts where id = ${source.account_id}`,
  )
  // Neither setting decides what is told here.
  const status = singleRow(await readAccountStatuses(trx, { maxStalenessMs: 0, holdForMs: 0 }, account))
  const head: ReportHead = {
    kind: 'headcount report',
    version: version(),
    ...singleRow(moment),
    account,
    with_personal: source.with_personal,
    mirror: {
      standing:
        event === null ? standing(status) : await standingOfEvent(trx, source.account_id, status, event),
      last_run: runOf(status.last_run),
      last_good_run: runOf(status.last_good_run),
    },
    changes: await readWeekChanges(source, trx, account, event),
  }
  return { head, notes: { accepted: status.accepted, set_aside: status.set_aside } }
}

/** Without its error, which may quote what the service sent. */
function runOf(run: RunSummary | null): ReportedRun | null {
  return (
    run && {
      run_id: run.run_id,
      status: run.status,
      started_at: run.started_at,
      finished_at: run.finished_at,
    }
  )
}

/** Of a caller that keeps others waiting. */
function limitOf({ maxStatementMs }: Caller): TimeLimit | null {
  if (maxStatementMs === undefined) return null
  return {
    leftMs: async () => Math.max(1, await maxStatementMs()),
    exceeded: (cause) => statementLimitError('report', 'Ask for one event, with --event', cause),
  }
}
