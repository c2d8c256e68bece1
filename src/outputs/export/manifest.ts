import { sql } from 'kysely'
import type { Timestamp } from '../../common/schema/items.ts'
import { version } from '../../common/version.ts'
import type { Transaction } from '../../db/transaction.ts'
import { MANIFEST_KIND } from './former-files.ts'
import type { ExportFormat } from './formats/format.ts'

/** One file of an export. */
export interface ExportedFile {
  readonly file: string
  /** The table or view. */
  readonly view: string
  readonly rows: number
  readonly bytes: number
  /** Of its bytes, in hexadecimal digits. */
  readonly sha256: string
  /** Texts longer than a cell of a spreadsheet holds, whose end is not in the file. */
  readonly cut_cells?: number
}

/** How current an account was. */
export interface ExportedAccount {
  readonly account: string
  /** Its last run that has ended; null: none has. */
  readonly run: string | null
  readonly run_status: string | null
  readonly run_finished_at: Timestamp | null
}

/** `manifest.json`: what an export holds. */
export interface ExportManifest {
  readonly kind: 'headcount export'
  /** Of headcount. */
  readonly version: string
  /** The moment that all files show. */
  readonly exported_at: Timestamp
  readonly format: ExportFormat
  /** Whether names, addresses and messages are in it. */
  readonly with_personal: boolean
  /** What it was limited to; null: not limited. */
  readonly account: string | null
  readonly event: string | null
  readonly accounts: readonly ExportedAccount[]
  readonly files: readonly ExportedFile[]
  /** Tables and views without an event, when one was named. */
  readonly left_out: readonly string[]
  /** Files of the former export in this folder that this one does not have: they were removed. */
  readonly removed: readonly string[]
}

/** What is known of the moment that the transaction shows, as far as readers see it. */
export async function readMoment(
  { kysely }: Transaction,
  account: string | null,
): Promise<Pick<ExportManifest, 'kind' | 'version' | 'exported_at' | 'accounts'>> {
  const { rows: accounts } = await sql<ExportedAccount>`
    select distinct on (account) account, finished_at as run_finished_at,
           case when finished_at is not null then run_id end as run,
           case when finished_at is not null then status end as run_status
      from headcount.run_summary
     where ${account}::text is null or account = ${account}
     order by account, finished_at is null, run_id desc`.execute(kysely)
  const { rows } = await sql<{ now: Timestamp }>`select now() as now`.execute(kysely)
  const [moment] = rows
  return { kind: MANIFEST_KIND, version: version(), exported_at: moment?.now ?? '', accounts }
}
