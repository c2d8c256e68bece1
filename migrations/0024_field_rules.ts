/** Which fields of responses an account does not store, as the last run was told. */
export const fieldRules: readonly string[] = [
  `alter table headcount.accounts add column field_rules text not null default ''`,
  `comment on column headcount.accounts.field_rules is
    'Fields of responses that are left out or stored as pseudonyms (HEADCOUNT_LEAVE_OUT, HEADCOUNT_PSEUDONYMISE), as the last run was told. Another text lets every list be read once.'`,
]
