import { accountSetting } from './0012_account_setting.ts'
import { pastOfAccount } from './0012_past_of_account.ts'

/**
 * Accounts can be renamed and removed. Both hold the account as a run does, so that they have a row in sync_runs while they
 * work. A removal takes many transactions: from its first on the account is marked, for what is left is no mirror.
 */
export const accounts: readonly string[] = [
  `alter table headcount.accounts add column _removing_since timestamptz`,
  `comment on column headcount.accounts._removing_since is
    'When "headcount accounts remove" began: the account is no mirror any more, and is to be removed to the end. NULL of all others.'`,
  `alter table headcount.sync_runs drop constraint sync_runs_mode_check`,
  `alter table headcount.sync_runs add constraint sync_runs_mode_check
    check (mode in ('sync', 'backfill', 'rename', 'remove'))`,
  `comment on column headcount.sync_runs.mode is
    'sync or backfill; rename or remove while the account itself is changed, which leaves a row only when it was killed.'`,
  ...accountSetting,
  ...pastOfAccount,
]
