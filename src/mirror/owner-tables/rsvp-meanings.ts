/** What the owner says that a reply means. */
import { sql } from 'kysely'
import { commandName } from '../../common/command-name.ts'
import { didYouMean, nearestName } from '../../common/text/did-you-mean.ts'
import { UsageError } from '../../common/errors.ts'
import { quote } from '../../common/parse-values.ts'
import type { RsvpMeaning } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { defineChange, defineList } from '../calls/call.ts'
import { listFields, object, text, type Field, type ListInput } from '../calls/input.ts'
import { countResponses, nearestValue, type RsvpValue } from './rsvp-values.ts'
import { requireStorable } from './storable-text.ts'

const meanings: readonly RsvpMeaning[] = ['coming', 'maybe', 'not_coming']

/** A btree refuses keys above 2,704 bytes. */
const MAX_VALUE_BYTES = 2600

/** @throws UsageError */
export function parseMeaning(text: string): RsvpMeaning {
  const meaning = meanings.find((word) => word === text)
  if (meaning !== undefined) return meaning
  throw new UsageError(
    `A reply means ${meanings.slice(0, -1).join(', ')} or ${meanings.at(-1)}, not ${quote(text)}${didYouMean(text, meanings)}.`,
  )
}

const meaningField: Field<RsvpMeaning> = (sent, name) => parseMeaning(text(sent, name))

/** A value with its meaning. */
export interface ListedRsvpMeaning extends RsvpValue {
  readonly meaning: RsvpMeaning
}

export interface RsvpMeanings {
  readonly rsvp_meanings: readonly ListedRsvpMeaning[]
  /** Values that responses have and that mean nothing yet, the most frequent first. */
  readonly without_meaning: readonly RsvpValue[]
  /** Whether `limit` left out values without a meaning. */
  readonly has_more: boolean
}

export const rsvpMeaningsCall = defineList('rsvp-meanings', object(listFields), listRsvpMeanings)

/** Every meaning, and at most so many values without one; responses are counted in one account or, with null, in all. */
async function listRsvpMeanings(
  { kysely }: Transaction,
  { account, limit }: ListInput,
): Promise<RsvpMeanings> {
  const { rows } = await sql<RsvpValue & { meaning: RsvpMeaning | null }>`
    with found as (
      select rsvp as value, count(*) as responses
        from headcount.responses
       where rsvp is not null
         and (${account}::text is null
              or account_id = (select id from headcount.accounts where name = ${account}))
       group by 1
    )
    (select m.value, m.meaning, coalesce(found.responses, 0)::float8 as responses
       from headcount.rsvp_meanings m
       left join found on found.value = m.value)
    union all
    (select value, null, responses::float8
       from found
      where not exists (select from headcount.rsvp_meanings m where m.value = found.value)
      order by responses desc, value collate "C"
      limit ${limit + 1})
    order by meaning nulls last, responses desc, value`.execute(kysely)
  const without = rows.flatMap(({ value, meaning, responses }) =>
    meaning === null ? [{ value, responses }] : [],
  )
  return {
    rsvp_meanings: rows.flatMap(({ value, meaning, responses }) =>
      meaning === null ? [] : [{ value, meaning, responses }],
    ),
    without_meaning: without.slice(0, limit),
    has_more: without.length > limit,
  }
}

export interface SetRsvpMeaning extends ListedRsvpMeaning {
  /** null: it had none. */
  readonly former_meaning: RsvpMeaning | null
  /** The value most like it that responses have, when none has it. */
  readonly nearest: string | null
}

export const setRsvpMeaningCall = defineChange(
  'set-rsvp-meaning',
  object({ value: text, meaning: meaningField }),
  setRsvpMeaning,
)

/**
 * Says what a value means, also one that no response has.
 *
 * @throws UsageError when it cannot be stored
 */
async function setRsvpMeaning(
  trx: Transaction,
  { value, meaning }: Pick<ListedRsvpMeaning, 'value' | 'meaning'>,
): Promise<SetRsvpMeaning> {
  requireStorable('The value', value, MAX_VALUE_BYTES)
  const { rows } = await sql<{ former_meaning: RsvpMeaning | null }>`
    with former as (select meaning from headcount.rsvp_meanings where value = ${value})
    insert into headcount.rsvp_meanings (value, meaning) values (${value}, ${meaning})
    on conflict (value) do update set meaning = excluded.meaning
    returning (select meaning from former) as former_meaning`.execute(trx.kysely)
  const responses = await countResponses(trx, value)
  return {
    value,
    meaning,
    responses,
    former_meaning: rows[0]?.former_meaning ?? null,
    nearest: responses === 0 ? await nearestValue(trx, value) : null,
  }
}

export const removeRsvpMeaningCall = defineChange(
  'remove-rsvp-meaning',
  object({ value: text }),
  removeRsvpMeaning,
)

/**
 * Takes a meaning back: replies with this value are unknown.
 *
 * @returns what it was
 * @throws UsageError, with the nearest value that has a meaning, when it has none
 */
async function removeRsvpMeaning(
  trx: Transaction,
  { value }: Pick<ListedRsvpMeaning, 'value'>,
): Promise<ListedRsvpMeaning> {
  const removed = await trx.kysely
    .deleteFrom('headcount.rsvp_meanings')
    .where('value', '=', value)
    .returning('meaning')
    .executeTakeFirst()
  if (removed !== undefined) return { value, ...removed, responses: await countResponses(trx, value) }
  const rows = await trx.kysely.selectFrom('headcount.rsvp_meanings').select('value').execute()
  const values = rows.map((row) => row.value)
  const nearest =
    values.length === 0
      ? 'no value has one'
      : `the nearest value that has one is ${quote(nearestName(value, values))}`
  throw new UsageError(
    `The value ${quote(value)} has no meaning: ${nearest}. See all with: ${commandName()} rsvp-meanings.`,
  )
}
