/**
 * One spelling of an e-mail address for everything that looks up a person. Only ASCII letters change case, so that the
 * result is the same in every locale. The index on the address as it was sent goes; the next run makes the new one
 * (src/db/deferred-indexes.ts).
 */
export const emailKey: readonly string[] = [
  `create or replace function headcount_internal.normalised_email_key(email text) returns text language sql immutable parallel safe as $$
    select case when octet_length(key) <= 1000 then nullif(key, '')
                else 'sha256:' || encode(sha256(convert_to(key, 'UTF8')), 'hex') end
      from (select lower(normalize(btrim(email, E' \\t\\n\\r\\f\\x0b'), NFC) collate "C") as key) normalised
  $$`,
  `comment on function headcount_internal.normalised_email_key(text) is 'email_key of an address in an unusual spelling.'`,
  // Postgres puts this body in the place of the call: an address in the usual spelling costs 0.2 µs.
  `create function headcount.email_key(email text) returns text language sql immutable parallel safe as $$
    select case when octet_length(email) <= 1000 and email collate "C" !~ '[^!-@[-~]' then nullif(email, '')
                else headcount_internal.normalised_email_key(email) end
  $$`,
  `comment on function headcount.email_key(text) is
    'The e-mail address by which a person is found: without white space at its ends, its ASCII letters in lower case; NULL when nothing is left. Dots and plus signs stay. Of a longer text than 1,000 bytes its SHA-256.'`,
  `drop index if exists headcount.responses_email`,
]
