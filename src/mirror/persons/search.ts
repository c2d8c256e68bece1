/** How somebody is found by a name or an address where the mirror does not store it as it is. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { Database } from '../../db/connect.ts'
import { pseudonymKeyCheck } from '../../normalise/items/field-rules.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { isPseudonym, pseudonymOf } from '../../normalise/suppression/pseudonym.ts'
import { orNull, text } from '../calls/input.ts'

/** What stands in place of the text that was given, and by which key; null without a key. */
export interface SearchKey {
  readonly pseudonym: string | null
  readonly key_check: string | null
}

export const searchKeyFields = { pseudonym: orNull(text), key_check: orNull(text) }

/** Whether it is an address, or a name. */
export function fieldOf(searched: string): 'email' | 'name' {
  return searched.includes('@') ? 'email' : 'name'
}

export function searchKey(searched: string, key: PersonKey | null): SearchKey {
  if (key === null) return { pseudonym: null, key_check: null }
  return { pseudonym: pseudonymOf(fieldOf(searched), searched, key), key_check: key.check }
}

const NOUNS = { email: 'addresses', name: 'names' } as const

/** In which of these accounts nobody is found so, and why. */
export async function searchNotes(
  queries: Pick<Database, 'kysely'>,
  account: string | null,
  searched: string,
  keyCheck: string | null,
): Promise<readonly string[]> {
  const field = fieldOf(searched)
  if (isPseudonym(field, searched)) return []
  const noun = NOUNS[field]
  return (await readRules(queries, account)).flatMap(({ name, rules }) => {
    if (rules.includes(`responses.${field}`))
      return [`account ${name} stores no ${noun} (${optionName('leaveOut')})`]
    const check = pseudonymKeyCheck(rules, field)
    if (check === null) return []
    if (check !== keyCheck)
      return [
        `account ${name} stores ${noun} as pseudonyms, ${otherKey(keyCheck)}: nobody in it is found by one`,
      ]
    return field === 'email'
      ? []
      : [`account ${name} stores names as pseudonyms: only whole names are found in it`]
  })
}

/** @throws UsageError where the addresses are pseudonyms, and this key finds none of them */
export async function requireKeyOfAddresses(
  queries: Pick<Database, 'kysely'>,
  account: string,
  key: PersonKey | null,
): Promise<void> {
  const [found] = await readRules(queries, account)
  const check = found === undefined ? null : pseudonymKeyCheck(found.rules, 'email')
  // guard: key of the pseudonyms
  if (check !== null && check !== key?.check)
    throw new UsageError(
      `Account "${account}" stores addresses as pseudonyms, ${otherKey(key?.check ?? null)}: nobody in it is found by an address, and nothing ` +
        `was erased. Set ${optionName('personKey')} to the key of its runs.`,
    )
}

const otherKey = (keyCheck: string | null) =>
  keyCheck === null
    ? `and their key is not given (${optionName('personKey')})`
    : `made with another key than that of ${optionName('personKey')}`

async function readRules({ kysely }: Pick<Database, 'kysely'>, account: string | null) {
  const { rows } = await sql<{ name: string; rules: string }>`
    select name, coalesce(field_rules, '') as rules
      from headcount.accounts
     where ${account}::text is null or name = ${account}
     order by id`.execute(kysely)
  return rows
}
