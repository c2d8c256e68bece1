/**
 * The functions that tell of the past, without the name of the account: it is then the one of the setting. Single selects, so that
 * Postgres puts them in the place of the call as it does with those that they call.
 */
const moment =
  'as runs saw it; a moment before the first run or before the horizon of prune is an error. The account is that of the setting headcount.account, else default, else the only one.'

const tables = [
  ['events', 'past_event'],
  ['responses', 'past_response'],
  ['payments', 'past_payment'],
  ['slots', 'past_slot'],
] as const

export const pastOfAccount: readonly string[] = [
  `create function headcount.default_account() returns text language plpgsql stable as $$
    declare
      chosen text := nullif(current_setting('headcount.account', true), '');
      names text[];
    begin
      if chosen is not null then
        return chosen;
      end if;
      select array_agg(a.name order by a.id) into names from headcount.accounts a;
      if 'default' = any (names) then
        return 'default';
      elsif cardinality(names) = 1 then
        return names[1];
      elsif names is null then
        raise exception using errcode = '22023', message = 'the mirror has no account yet';
      end if;
      raise exception using errcode = '22023',
        message = format('the mirror has several accounts (%s): name one, or set headcount.account',
                         array_to_string(names[1:10], ', '));
    end
  $$`,
  `comment on function headcount.default_account() is
    'The name of the account of whoever names none: the setting headcount.account, else default, else the only one; an error otherwise.'`,
  ...tables.flatMap(([name, type]) => [
    `create function headcount.${name}_at(instant timestamptz) returns setof headcount.${type} language sql stable as $$
      select * from headcount.${name}_at(headcount.default_account(), instant)
    $$`,
    `comment on function headcount.${name}_at(timestamptz) is 'The ${name} of the account at a moment, ${moment}'`,
  ]),
]
