/**
 * Tables without a primary key are published with their whole old rows. In a database with a publication for all tables, as tools for change data
 * capture make it, Postgres refuses every UPDATE and DELETE of a table that has no replica identity, and so every run. The old rows go into the
 * WAL where `wal_level` is `logical` alone.
 *
 * The migrator sends it before each migration, too: some of them update such a table.
 */
export const replicaIdentity: readonly string[] = [
  `do $$
  declare
    without_key regclass;
  begin
    for without_key in
      select c.oid
        from pg_class c
       where c.relnamespace = to_regnamespace('headcount') and c.relkind in ('r', 'p') and c.relreplident = 'd'
         and c.relname in ('event_history', 'response_history', 'rejects', 'accepted_rejects', 'slot_targets')
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)
    loop
      execute format('alter table %s replica identity full', without_key);
    end loop;
  end $$`,
]
