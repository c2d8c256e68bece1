/**
 * Versions that were archived before migration 18 did not know their run, so that `changes` and digests passed over when these items came. The
 * time at which a version began lies within one run of its account. Where clocks were set back it may lie within two: then it stays NULL.
 */
const findRun = (table: string) => `
  update headcount.${table} h set begun_by_run_id = found.run_id
    from (select begun.account_id, begun.valid_from, min(r.id) as run_id
            from (select distinct account_id, valid_from from headcount.${table} where begun_by_run_id is null) begun
            join headcount.sync_runs r
              on r.account_id = begun.account_id and begun.valid_from between r.started_at and r.finished_at
           group by begun.account_id, begun.valid_from
          having count(*) = 1) found
   where h.begun_by_run_id is null and h.account_id = found.account_id and h.valid_from = found.valid_from`

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
