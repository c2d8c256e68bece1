/** Which tables and views an export holds, and which rows and columns of them. */
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { UsageError } from '../../common/errors.ts'
import { identifier, literal } from '../../db/quote.ts'
import {
  READABLE_OF_ACCOUNTS,
  READABLE_WITH_PERSONAL,
  READABLE_WITHOUT_PERSONAL,
} from '../../db/readers/readable.ts'
import type { Transaction } from '../../db/transaction.ts'
import { eventColumn } from '../../mirror/answers/event-rows.ts'
import { columnName, readColumns, type Column } from './column.ts'
import type { ExportFormat, Format } from './formats/format.ts'

/** What is exported when nothing is named: the live tables and the summaries. Their history is not. */
export const DEFAULT_VIEWS: readonly string[] = [
  'events',
  'responses',
  'payments',
  'slots',
  'event_summary',
  'event_respondents',
  'respondents',
  'payment_summary',
  'payments_by_month',
  'slot_summary',
  'thin_slots',
]

/** What can be exported: all that readers may read. */
export const EXPORTABLE: readonly string[] = [
  ...READABLE_WITHOUT_PERSONAL,
  ...READABLE_WITH_PERSONAL,
].toSorted()

const TWIN = '_without_personal'

/** A table or view to export. */
export interface ChosenView {
  /** As it was named, and as its file is called. */
  readonly name: string
  /** What is read: with `withoutPersonal` it may be another view. */
  readonly relation: string
}

/**
 * The tables and views that were named, each once; the default ones when none was.
 *
 * @param who begins the message of an error
 * @throws UsageError for a name that none has, and for one that cannot be had without personal data
 */
export function chooseViews(
  named: readonly string[] | undefined,
  withoutPersonal: boolean,
  who = 'export',
): readonly ChosenView[] {
  const names = named === undefined || named.length === 0 ? DEFAULT_VIEWS : [...new Set(named)]
  return names.map((name) => {
    if (!EXPORTABLE.includes(name))
      throw new UsageError(
        `${who}: there is no table or view "${name}"${didYouMean(name, EXPORTABLE)}; there are: ${EXPORTABLE.join(', ')}`,
      )
    // guard: export without personal data
    return { name, relation: withoutPersonal ? withoutPersonalOf(name, who) : name }
  })
}

function withoutPersonalOf(name: string, who: string): string {
  const relation = relationWithoutPersonal(name)
  if (relation !== undefined) return relation
  const instead = EXPORTABLE.filter(
    (other) => relationWithoutPersonal(other) !== undefined && !other.endsWith(TWIN),
  )
  throw new UsageError(
    `${who}: ${name} is personal data as a whole; without personal data there are: ${instead.join(', ')}`,
  )
}

function relationWithoutPersonal(name: string): string | undefined {
  return [name, `${name}${TWIN}`].find((candidate) => READABLE_WITHOUT_PERSONAL.includes(candidate))
}

/**
 * Makes sure that the role of the connection may read all that the export needs: a reader may not read everything.
 *
 * @throws UsageError that names what it may not read, and what it can do
 */
export async function requireReadable(
  trx: Transaction,
  relations: readonly string[],
  format: ExportFormat,
): Promise<void> {
  const { rows } = await trx.query(
    `select name, null from unnest($1::text[]) name
      where not coalesce(has_table_privilege(to_regclass('headcount.' || name), 'select'), true)
     union all
     select 'time_zone of accounts', current_user::text
      where exists (select from unnest($2::text[]) name where not has_column_privilege('headcount.accounts', name, 'select'))`,
    [relations, format === 'xlsx' ? READABLE_OF_ACCOUNTS : []],
  )
  const [[, role] = [], ...others] = rows as [string, string | null][]
  if (role === undefined) return
  const lacking = rows.map(([name]) => name).join(', ')
  const remedy =
    role === null || others.length > 0
      ? 'Name tables and views that it may read, export without personal data, or use a role that may read them.'
      : `A workbook has times in the time zone of the account: let the owner of the mirror grant select (${READABLE_OF_ACCOUNTS.join(', ')}) on headcount.accounts to ${identifier(role)}, or choose another format.`
  throw new UsageError(`export: this role may not read ${lacking}. ${remedy}`)
}

/** Rows of one account, of one event, or all. */
export interface RowFilter {
  /** The number of the account; null: of all. */
  readonly accountId: number | null
  readonly event: string | null
}

export interface ViewQuery {
  readonly columns: readonly Column[]
  readonly query: string
}

/** What tells the rows of a table or view apart, as far as it has these columns: the rows come in this order, and in no other. */
const ORDER = [
  'account_id',
  'event_id',
  'id',
  'response_id',
  'person_id',
  'position',
  'month',
  'day',
  'slot_name',
  'start_date',
  'end_date',
  'valid_from',
  'changed_at',
  'field',
  'run_id',
  'entity',
  'what',
  'rank',
  'value',
]

/** @returns null for a view whose rows are of no event, when those of one are wanted */
export async function viewQuery(
  trx: Transaction,
  { relation }: ChosenView,
  { accountId, event }: RowFilter,
  format: Pick<Format, 'select'>,
): Promise<ViewQuery | null> {
  const columns = await readColumns(trx, relation)
  const find = (wanted: string) => columns.find((column) => column.name === wanted)
  const ofEvent = find(eventColumn(relation))
  if (event !== null && ofEvent === undefined) return null
  const conditions = [
    // guard: rows of one account
    ...(accountId !== null && find('account_id') ? [`v.account_id = ${accountId}`] : []),
    ...(event !== null && ofEvent ? [`${columnName(ofEvent)} = ${literal(event)}`] : []),
  ]
  const order = ORDER.flatMap((column) => find(column) ?? []).map(columnName)
  const selected = columns.map((column) => format.select(column))
  const query = [
    `select ${selected.join(', ')} from headcount.${identifier(relation)} v`,
    ...(selected.some((expression) => expression.includes('zone.name')) ? [zoneOf(find('account_id'))] : []),
    ...(conditions.length === 0 ? [] : [`where ${conditions.join(' and ')}`]),
    ...(order.length === 0 ? [] : [`order by ${order.join(', ')}`]),
  ].join(' ')
  return { columns, query }
}

/** The time zone of a row, as the views have it. */
function zoneOf(account: Column | undefined): string {
  const ofAccount =
    account === undefined
      ? `'UTC'`
      : `(select a.time_zone from headcount.accounts a where a.id = ${columnName(account)})`
  return `cross join lateral (select coalesce(nullif(current_setting('headcount.time_zone', true), ''), ${ofAccount}) as name) zone`
}
