/** Texts beside the responses that may name an erased person: items that cannot be stored, error messages, reports of runs. */
import { sql } from 'kysely'
import type { JsonValue } from '../../common/json/exact.ts'
import type { Transaction } from '../../db/transaction.ts'
import { MAX_PAYLOAD_BYTES } from '../../common/schema/items.ts'
import type { ErasedCounts } from '../../common/schema/tables.ts'

/** What tells whether a text is of an erased person. */
export interface TextMatcher {
  mentions(text: string): boolean
  forEvent(eventId: string): { hasResponse(id: string): boolean } | null
}

const REMOVED = '(removed: it named a person who was erased)'
/** Texts read at once; one has 64 KiB at most. */
const TEXTS_PER_READ = 100

/** Removes them. */
export async function eraseTexts(
  trx: Transaction,
  account: number,
  matcher: TextMatcher,
): Promise<Pick<ErasedCounts, 'rejects' | 'messages'>> {
  const rejects = await eraseRejects(trx, account, matcher)
  const messages = await eraseMessages(trx, account, matcher)
  return { rejects, messages: messages + (await eraseFromReports(trx, account, matcher)) }
}

interface Reject {
  readonly event_id: string | null
  readonly item_index: number
  readonly payload: string
  /** Of the whole item, which may be longer. */
  readonly bytes: number
}

/** Also those that have only the id of an erased response. */
function isErased({ event_id, payload, bytes }: Reject, matcher: TextMatcher): boolean {
  // What is cut off of a long item may name the person.
  if (bytes > MAX_PAYLOAD_BYTES || matcher.mentions(payload)) return true
  const [, id] = /"id"\s*:\s*(\d{1,19})\b/.exec(payload) ?? []
  return id !== undefined && event_id !== null && matcher.forEvent(event_id)?.hasResponse(id) === true
}

async function eraseRejects({ kysely }: Transaction, account: number, matcher: TextMatcher): Promise<number> {
  let erased = 0
  let last: Pick<Reject, 'event_id' | 'item_index'> = { event_id: '', item_index: -1 }
  for (;;) {
    const { rows } = await sql<Reject>`
      select event_id, item_index, payload, bytes from headcount.rejects
       where account_id = ${account} and payload is not null
         and (coalesce(event_id, ''), item_index) > (${last.event_id ?? ''}::text, ${last.item_index}::int)
       order by coalesce(event_id, ''), item_index
       limit ${TEXTS_PER_READ}`.execute(kysely)
    const found = rows.filter((reject) => isErased(reject, matcher))
    if (found.length > 0) {
      const keys = JSON.stringify(found.map(({ event_id, item_index }) => ({ event_id, item_index })))
      await sql`
        update headcount.rejects j set payload = null
          from json_to_recordset(${keys}::json) as k(event_id text, item_index int)
         where j.account_id = ${account} and j.event_id is not distinct from k.event_id
           and j.item_index = k.item_index`.execute(kysely)
      erased += found.length
    }
    const end = rows.at(-1)
    if (end === undefined || rows.length < TEXTS_PER_READ) return erased
    last = end
  }
}

async function eraseMessages(
  { kysely }: Transaction,
  account: number,
  matcher: TextMatcher,
): Promise<number> {
  const rows = await kysely
    .selectFrom('headcount.sync_state')
    .select(['event_id', 'error_message'])
    .where('account_id', '=', account)
    .where('error_message', 'like', '%@%')
    .execute()
  const events = rows.filter(({ error_message }) => matcher.mentions(error_message ?? ''))
  await sql`
    update headcount.sync_state set error_message = ${REMOVED}
     where account_id = ${account} and event_id = any (${events.map(({ event_id }) => event_id)}::text[])`.execute(
    kysely,
  )
  return events.length
}

async function eraseFromReports(
  { kysely }: Transaction,
  account: number,
  matcher: TextMatcher,
): Promise<number> {
  let erased = 0
  let last = '0'
  for (;;) {
    const { rows } = await sql<{ id: string; report: JsonValue }>`
      select id::text, report from headcount.sync_runs
       where account_id = ${account} and id > ${last}::bigint and report::text like '%@%'
       order by sync_runs.id
       limit ${TEXTS_PER_READ}`.execute(kysely)
    for (const { id, report } of rows) {
      const cleaned = JSON.stringify(withoutMentions(report, matcher))
      if (cleaned === JSON.stringify(report)) continue
      await sql`update headcount.sync_runs set report = ${cleaned}::jsonb where id = ${id}`.execute(kysely)
      erased += 1
    }
    const end = rows.at(-1)
    if (end === undefined || rows.length < TEXTS_PER_READ) return erased
    last = end.id
  }
}

function withoutMentions(value: JsonValue, matcher: TextMatcher): JsonValue {
  if (typeof value === 'string') return matcher.mentions(value) ? REMOVED : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => withoutMentions(item, matcher))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutMentions(item, matcher)]),
  )
}
