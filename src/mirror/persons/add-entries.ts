/** Puts people on the suppression list of an account. */
import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { readEntries, type ImportedSuppression } from './suppression-file.ts'

/**
 * Puts people on the list. Their erasure is unfinished until a run has carried it out.
 *
 * @returns how many of them were on it before, and how many were added
 */
export async function addEntries(
  trx: Transaction,
  account: number,
  key: PersonKey,
  entries: readonly ImportedSuppression[],
): Promise<{ readonly known: number; readonly added: number }> {
  const stored = new Map(
    (await readEntries(trx, account)).map((entry) => [identityOf(entry), entry.id] as const),
  )
  const given = distinctEntries(entries)
  const hashed = given.filter(({ email_hash }) => email_hash !== null)
  await addHashed(trx, account, key, hashed)
  const isKnown = (entry: ImportedSuppression) => stored.has(identityOf(entry))
  const known = given.filter(isKnown)
  const ids = known.map((entry) => stored.get(identityOf(entry)))
  await sql`
    update headcount.suppressions set erased_at = null where id = any (${ids}::bigint[])`.execute(trx.kysely)
  const withoutHash = given.filter((entry) => entry.email_hash === null && !isKnown(entry))
  await addWithoutHash(trx, account, key, withoutHash)
  return { known: known.length, added: given.length - known.length }
}

/** The same text for the same person: who is known by the ids of responses alone is whoever has the same ones. */
function identityOf({ email_hash, responses }: ImportedSuppression): string {
  return email_hash ?? JSON.stringify(responses)
}

/** Everybody once. Of two lists of an account each may have responses that the other lacks. */
function distinctEntries(entries: readonly ImportedSuppression[]): readonly ImportedSuppression[] {
  const found = new Map<string, ImportedSuppression>()
  for (const entry of entries) {
    const same = found.get(identityOf(entry))
    const responses = [...(same?.responses ?? []), ...entry.responses]
    const isLonger = same !== undefined && entry.email_hash !== null
    found.set(identityOf(entry), isLonger ? { ...same, responses } : entry)
  }
  return [...found.values()]
}

async function addHashed(
  { kysely }: Transaction,
  account: number,
  key: PersonKey,
  entries: readonly ImportedSuppression[],
): Promise<void> {
  const rows = JSON.stringify(entries)
  await sql`
    insert into headcount.suppressions (account_id, email_hash, key_check, added_at)
    select ${account}, decode(email_hash, 'hex'), ${key.check}, coalesce(added_at, now())
      from json_to_recordset(${rows}::json) as e(email_hash text, added_at timestamptz)
        on conflict (account_id, email_hash) do nothing`.execute(kysely)
  await sql`
    insert into headcount.suppressed_responses (account_id, event_id, response_id, suppression_id)
    select s.account_id, r.event_id, id.value::bigint, s.id
      from json_to_recordset(${rows}::json) as e(email_hash text, responses json)
      join headcount.suppressions s on s.account_id = ${account} and s.email_hash = decode(e.email_hash, 'hex')
     cross join json_to_recordset(e.responses) as r(event_id text, ids json)
     cross join json_array_elements_text(r.ids) as id (value)
        on conflict do nothing`.execute(kysely)
}

/** No unique value joins such an entry to its responses; but numbers are given in the order of the list. */
async function addWithoutHash(
  { kysely }: Transaction,
  account: number,
  key: PersonKey,
  entries: readonly ImportedSuppression[],
): Promise<void> {
  await sql`
    with entry as (
      select added_at, responses, place
        from rows from (json_to_recordset(${JSON.stringify(entries)}::json) as (added_at timestamptz, responses json))
             with ordinality as e(added_at, responses, place)
    ), added as (
      insert into headcount.suppressions (account_id, key_check, added_at)
      select ${account}::int, ${key.check}, coalesce(added_at, now()) from entry order by place
      returning id
    )
    insert into headcount.suppressed_responses (account_id, event_id, response_id, suppression_id)
    select ${account}::int, r.event_id, id.value::bigint, numbered.id
      from entry
      join (select id, row_number() over (order by id) as place from added) numbered on numbered.place = entry.place
     cross join json_to_recordset(entry.responses) as r(event_id text, ids json)
     cross join json_array_elements_text(r.ids) as id (value)
        on conflict do nothing`.execute(kysely)
}
