/** Readers read the time zone of an account, for workbooks: after a migration all are granted anew what they may read. */
export const timeZoneOfReaders: readonly string[] = [
  `comment on column headcount.accounts.time_zone is
    'The zone of days and months in the views (accounts set NAME --time-zone); the setting headcount.time_zone overrides it. Readers may read it.'`,
]
