/** Fields that are left out or pseudonyms: what the rows of an account were made with, and what is set for this run. */
import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { FieldRules } from '../../normalise/items/field-rules.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { ResolvedOptions } from '../options.ts'
import type { StoredAccount } from './find-account.ts'

const textOf = (rules: FieldRules | null) => rules?.text ?? ''

/**
 * Whether the rules of a run are others than those of the stored rows.
 *
 * @throws UsageError when they are to be applied to history, and only the settings of former runs had any
 */
export function haveRulesOfRunChanged(
  account: StoredAccount,
  { rules, applyToHistory }: Pick<ResolvedOptions, 'rules' | 'applyToHistory'>,
): boolean {
  // guard: history without rules
  if (applyToHistory && rules === null && Boolean(account.fieldRules)) {
    throw new UsageError(
      `Nothing says what is to be taken from former versions, and this run would bring back what the last one left out: the rows of this account ` +
        `were stored ${account.fieldRules}. Nothing was read. Set ${optionName('leaveOut')} or ${optionName('pseudonymise')} as for that run.`,
    )
  }
  return haveRulesChanged(account, rules)
}

function haveRulesChanged({ fieldRules }: StoredAccount, rules: FieldRules | null): boolean {
  return fieldRules !== null && fieldRules !== textOf(rules)
}

/**
 * Stores the rules. When they are others than before, every list is read anew, and its rows are made without history.
 *
 * @returns whether they are others
 */
export async function adoptRules(
  { kysely }: Transaction,
  account: StoredAccount,
  settings: Pick<ResolvedOptions, 'rules' | 'applyToHistory'>,
): Promise<boolean> {
  if (!haveRulesOfRunChanged(account, settings)) return false
  // guard: rules that changed
  await rewriteLists(kysely, account.id, sql`true`)
  await kysely
    .updateTable('headcount.accounts')
    .set({ field_rules: textOf(settings.rules) })
    .where('id', '=', account.id)
    .execute()
  return true
}

/**
 * Where addresses are left out, the rows do not say whose they are, only the service does: every list is read anew after
 * somebody was put on the suppression list.
 */
export async function rereadWithoutAddresses({ kysely }: Transaction, account: number): Promise<void> {
  // guard: erased without addresses
  await rewriteLists(kysely, account, areAddressesLeftOut(sql`id = ${account}`))
}

/** Whether the stored rows of an account are without addresses. @param isAccount a condition on a row of `accounts` */
export const areAddressesLeftOut = (isAccount: RawBuilder<unknown>) => sql<boolean>`
  exists (select from headcount.accounts where ${isAccount} and position(${'responses.email'} in field_rules) > 0)`

/** The next reading of each list makes its rows anew, without history. */
async function rewriteLists(
  kysely: Kysely<Tables>,
  account: number,
  condition: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    update headcount.sync_state set rewrite_due = true
     where account_id = ${account} and event_id <> '' and checked_at is not null and ${condition}`.execute(
    kysely,
  )
}

/** @throws UsageError when the rows were made with other rules: each would differ */
export function requireSameRules(account: StoredAccount, rules: FieldRules | null): void {
  // guard: verify by other rules
  if (!haveRulesChanged(account, rules)) return
  const words = (text: string) => (text === '' ? 'with all fields' : text)
  throw new UsageError(
    `The rows of this account were stored ${words(account.fieldRules ?? '')}, and the settings say ${words(textOf(rules))} ` +
      `(${optionName('leaveOut')}, ${optionName('pseudonymise')}). Nothing was compared. Give the settings of the last run, or run sync with these first.`,
  )
}
