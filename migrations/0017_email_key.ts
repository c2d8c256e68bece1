/**
 * One spelling of an e-mail address for everything that looks up a person. Only ASCII letters change case, so that the
 * result is the same in every locale. The index on the address as it was sent goes; the next run makes the new one
 * (src/db/deferred-indexes.ts).
 */
export const emailKey: readonly string[] = [
  // Postgres puts the body in the place of the call, for the function is not strict. An address in the usual spelling, which
  // one look recognises, then costs 0.2 µs and not 2.5; one that is ASCII is normalised already.
  `create function headcount.email_key(email text) returns text language sql immutable parallel safe as $$
    select case when email collate "C" !~ '[^!-@[-~]' then nullif(email, '')
                else nullif(lower(case when octet_length(email) = length(email) then btrim(email, E' \\t\\n\\r\\f\\v')
                                       else normalize(btrim(email, E' \\t\\n\\r\\f\\v'), NFC) end collate "C"), '') end
  $$`,
  `comment on function headcount.email_key(text) is
    'The e-mail address by which a person is found: without white space at its ends, its ASCII letters in lower case; NULL when nothing is left. Dots and plus signs stay.'`,
  `drop index if exists headcount.responses_email`,
]
