/**
 * Versions that were archived before migration 18 did not know their run, so that `changes` and digests passed over when these items came. The
 * time at which a version began lies within one run of its account. Where clocks were set back it may lie within two: then it stays NULL.
 * Runs are added where they begin and subtracted where they end, so that the sum is the run itself where one goes on: of 10,000 times and
 * 100,000 runs a join took 160 s.
 */
const findRun = (table: string) => `
  update headcount.${table} h set begun_by_run_id = found.run_id
    from (select account_id, at, turn, sum(run_id) over going_on as run_id, sum(runs) over going_on as runs
            from (select distinct account_id, valid_from as at, 2 as turn, 0 as run_id, 0 as runs
                    from headcount.${table} where begun_by_run_id is null
                  union all
                  select account_id, started_at, 1, id, 1 from headcount.sync_runs where finished_at >= started_at
                  union all
                  select account_id, finished_at, 3, -id, -1 from headcount.sync_runs where finished_at >= started_at) moment
          window going_on as (partition by account_id order by at, turn rows unbounded preceding)) found
   where found.turn = 2 and found.runs = 1
     and h.begun_by_run_id is null and h.account_id = found.account_id and h.valid_from = found.at`

/** The same in every table and view that shows such a run. */
const comments = `
  do $$
  declare
    shown record;
  begin
    for shown in
      select c.oid::regclass as relation, a.attname, pg_catalog.col_description(c.oid, a.attnum) as description
        from pg_catalog.pg_class c
        join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
       where c.relnamespace = 'headcount'::regnamespace
         and pg_catalog.col_description(c.oid, a.attnum) ~ 'NULL .* archived before migration 18\\.$'
    loop
      execute format('comment on column %s.%I is %L', shown.relation, shown.attname,
                     regexp_replace(shown.description, '\\.$', ', unless exactly one run of its time is known.'));
    end loop;
  end $$`

export const runsOfVersions: readonly string[] = [
  findRun('event_history'),
  findRun('response_history'),
  comments,
]
