import { sql } from 'kysely'
import type { ViewRow } from '../../common/schema/view-columns.ts'
import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import { defineCall } from '../calls/call.ts'
import { listFields, object, text, type ListInput } from '../calls/input.ts'
import { fieldOf, searchKeyFields, searchNotes, type SearchKey } from '../persons/search.ts'
import { ofReadAccount, rowsOf } from './read-view.ts'

/** A person of one account, over all events; without an e-mail address one response alone. */
export interface FoundPerson {
  readonly account: string
  readonly name: string | null
  readonly email: string | null
  readonly person_id: string | null
  /** Figures over all events; null without an e-mail address. */
  readonly summary: ViewRow<'respondents'> | null
  /** What the person answered, the latest event first. */
  readonly events: readonly ViewRow<'event_respondents'>[]
}

export interface FoundPersons {
  readonly persons: readonly FoundPerson[]
  /** Whether `limit` left persons out. */
  readonly has_more: boolean
  /** In which accounts nobody is found so, for names or addresses are not stored as they are. */
  readonly notes: readonly string[]
}

interface Match {
  readonly account_id: number
  readonly email_key: string | null
  readonly event_id: string | null
  readonly response_id: string | null
}

const readInput = object({
  ...listFields,
  /** An e-mail address in any spelling, or a part of a name. */
  who: text,
  ...searchKeyFields,
})

/** Finds the persons with an address, or whose name contains the text, whatever its upper and lower case. */
export const whoCall = defineCall({
  name: 'who',
  changes: false,
  readInput,
  run: async (database, { account, limit, who, pseudonym, key_check }): Promise<FoundPersons> => {
    if (who.trim() === '') throw new UsageError('who takes a name or an e-mail address, not an empty text.')
    return ofReadAccount(database, account, async (trx) => {
      const matches = await findMatches(trx, { account, who, pseudonym, limit: limit + 1 })
      const persons = await Array.fromAsync(matches.slice(0, limit), (match) => readPerson(trx, match))
      const notes = await searchNotes(trx, account, who, key_check)
      return { persons, has_more: matches.length > limit, notes }
    })
  },
})

/** Those of an address by the index; else by names, which takes a look at every response. */
async function findMatches(
  { kysely }: Transaction,
  { account, who, pseudonym, limit }: ListInput & Pick<SearchKey, 'pseudonym'> & { readonly who: string },
): Promise<readonly Match[]> {
  const pattern = `%${who
    .trim()
    .normalize('NFC')
    .replaceAll(/[\\%_]/g, '\\$&')}%`
  const condition =
    fieldOf(who) === 'email'
      ? sql`headcount.email_key(r.email) = any (array[headcount.email_key(${who}), ${pseudonym}::text])`
      : // A letter with an accent is one character or two, and looks the same.
        sql`(normalize(r.name, NFC) ilike ${pattern} or r.name = ${pseudonym}::text)`
  const { rows } = await sql<Match>`
    select r.account_id, headcount.email_key(r.email) as email_key,
           case when headcount.email_key(r.email) is null then r.event_id end as event_id,
           case when headcount.email_key(r.email) is null then r.id end as response_id
      from headcount.responses r
      join headcount.accounts a on a.id = r.account_id
     where ${condition} and (${account}::text is null or a.name = ${account})
     group by 1, 2, 3, 4
     order by max(r.created_at) desc nulls last, 1, 2, 3, 4
     limit ${limit}`.execute(kysely)
  return rows
}

async function readPerson(trx: Transaction, match: Match): Promise<FoundPerson> {
  const { account_id, email_key, event_id, response_id } = match
  const [summary = null] =
    email_key === null
      ? []
      : await rowsOf(
          trx,
          'respondents',
          sql`where v.account_id = ${account_id} and v.email_key = ${email_key}`,
        )
  // The events are looked up first: the view makes all persons of each event that it is asked for.
  const events = await rowsOf(
    trx,
    'event_respondents',
    email_key === null
      ? sql`where v.account_id = ${account_id} and v.event_id = ${event_id} and v.response_id = ${response_id}`
      : sql`where v.account_id = ${account_id} and v.email_key = ${email_key}
              and v.event_id = any (array(select r.event_id from headcount.responses r
                                           where r.account_id = ${account_id} and headcount.email_key(r.email) = ${email_key}))
            order by v.event_at desc nulls last, v.event_id`,
  )
  const [first] = events
  return {
    account: first?.account ?? '',
    name: summary?.name ?? first?.name ?? null,
    email: summary?.email ?? first?.email ?? null,
    person_id: summary?.person_id ?? null,
    summary,
    events,
  }
}
