/**
 * Monitors ask for the age of the last good run with every request: a column and a small index instead of the report,
 * which is long and, while a service is ill, is that of thousands of runs.
 */
export const goodRuns: readonly string[] = [
  `alter table headcount.sync_runs add column good boolean not null default false`,
  `update headcount.sync_runs
      set good = true
    where not selective
      and (status = 'succeeded' or status = 'held' and coalesce((report->>'held')::numeric, 0) = 0)`,
  `create index sync_runs_good on headcount.sync_runs (account_id, id desc) where good`,
  `comment on column headcount.sync_runs.good is
    'Every list that was due was applied or found unchanged, and no deletion is held: the age of the mirror counts from the start of the last such run.'`,
]
