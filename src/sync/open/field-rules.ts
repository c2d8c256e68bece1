/** Fields that are left out or pseudonyms: what the rows of an account were made with, and what is set for this run. */
import { sql, type Kysely } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { Tables } from '../../common/schema/tables.ts'
import type { FieldRules } from '../../normalise/items/field-rules.ts'
import type { Transaction } from '../../db/transaction.ts'

const textOf = (rules: FieldRules | null) => rules?.text ?? ''

/** Whether the rules are others than those of the stored rows. */
export async function haveRulesChanged(
  kysely: Kysely<Tables>,
  account: number,
  rules: FieldRules | null,
): Promise<boolean> {
  const stored = await storedRules(kysely, account)
  return stored !== null && stored !== textOf(rules)
}

/**
 * Stores the rules. When they are others than before, every list is read anew, and its rows are made without history.
 *
 * @returns whether they are others
 */
export async function adoptRules(
  { kysely }: Transaction,
  account: number,
  rules: FieldRules | null,
): Promise<boolean> {
  if (!(await haveRulesChanged(kysely, account, rules))) return false
  // guard: rules that changed
  await sql`
    update headcount.sync_state set rewrite_due = true
     where account_id = ${account} and event_id <> '' and checked_at is not null`.execute(kysely)
  await kysely
    .updateTable('headcount.accounts')
    .set({ field_rules: textOf(rules) })
    .where('id', '=', account)
    .execute()
  return true
}

/** @throws UsageError when the rows were made with other rules: each would differ */
export async function requireSameRules(
  kysely: Kysely<Tables>,
  account: number,
  rules: FieldRules | null,
): Promise<void> {
  const stored = await storedRules(kysely, account)
  // guard: verify by other rules
  if (stored === null || stored === textOf(rules)) return
  const words = (text: string) => (text === '' ? 'with all fields' : text)
  throw new UsageError(
    `The rows of this account were stored ${words(stored)}, and the settings say ${words(textOf(rules))} ` +
      `(${optionName('leaveOut')}, ${optionName('pseudonymise')}). Nothing was compared. Give the settings of the last run, or run sync with these first.`,
  )
}

/** Null: there is no such account yet. */
async function storedRules(kysely: Kysely<Tables>, account: number): Promise<string | null> {
  const row = await kysely
    .selectFrom('headcount.accounts')
    .select('field_rules')
    .where('id', '=', account)
    .executeTakeFirst()
  return row?.field_rules ?? null
}
