/**
 * A function whose body is a text looks up what it names when it is called, in the search path of the caller, and types in the caller's
 * temporary schema first. A reader could put a function or a domain of its own there, and so see what a view hides, or run as the owner.
 * From now on each name is found once: SQL is stored as it was parsed, and can still be inlined; PL/pgSQL has a search path of its own.
 */
export const fixedNames: readonly string[] = [
  `do $$
  declare
    callers_path text := current_setting('search_path');
    changed record;
  begin
    perform set_config('search_path', 'pg_catalog, pg_temp', true);
    for changed in
      select p.oid::regprocedure as name, l.lanname as language, p.prosrc as body,
             split_part(pg_get_functiondef(p.oid), 'AS $function$', 1) as head
        from pg_proc p
        join pg_language l on l.oid = p.prolang
       where p.pronamespace in ('headcount'::regnamespace, 'headcount_internal'::regnamespace) and p.prosqlbody is null
    loop
      if changed.language = 'sql' then
        execute changed.head || 'begin atomic ' || changed.body || '; end';
      else
        execute format('alter function %s set search_path = pg_catalog, pg_temp', changed.name);
      end if;
    end loop;
    perform set_config('search_path', callers_path, true);
  end $$`,
]
