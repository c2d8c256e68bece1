/** What asks for a moment that is not finite was refused without its name: `infinity` as ISO 8601 text is empty. */
export const infiniteMoments: readonly string[] = [
  `do $$
  begin
    execute replace(pg_get_functiondef('headcount_internal.account_at(text, timestamptz)'::regprocedure),
                    'asked text := headcount_internal.iso_utc(instant);',
                    'asked text := case when isfinite(instant) then headcount_internal.iso_utc(instant) else instant::text end;');
  end $$`,
]
