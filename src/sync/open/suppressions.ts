import type { Kysely } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import {
  readSuppressedResponses,
  readSuppressions,
  type StoredSuppression,
} from '../../load/state/suppressions.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'
import { Suppressions } from '../../normalise/suppression/suppressions.ts'

/** The suppression list of an account, ready for use. */
export interface OpenSuppressions {
  readonly suppressions: Suppressions
  /** Entries whose erasure was broken off. */
  readonly unfinished: readonly StoredSuppression[]
}

export const NO_SUPPRESSIONS: OpenSuppressions = { suppressions: new Suppressions(null), unfinished: [] }

/**
 * Reads the suppression list of an account.
 *
 * @throws UsageError when it is not empty and the key is missing or another one: people would be stored again
 */
export async function openSuppressions(
  kysely: Kysely<Tables>,
  account: { readonly id: number; readonly name: string },
  key: PersonKey | null,
): Promise<OpenSuppressions> {
  const stored = await readSuppressions(kysely, account.id)
  if (stored.length === 0) return NO_SUPPRESSIONS
  const hashed = stored.filter(({ email_hash }) => email_hash !== null)
  // guard: list without its key
  requireKeyOf(hashed, account.name, key)
  const hashes = new Set(hashed.flatMap(({ email_hash }) => email_hash ?? []))
  const responses = await readSuppressedResponses(kysely, account.id)
  return {
    suppressions: new Suppressions(key, hashes, responses),
    unfinished: stored.filter(({ erased_at }) => erased_at === null),
  }
}

/** @throws UsageError */
export function requireKeyOf(
  hashed: readonly Pick<StoredSuppression, 'key_check'>[],
  account: string,
  key: PersonKey | null,
): void {
  if (hashed.length === 0) return
  const erased = hashed.length === 1 ? 'one person was' : `${hashed.length} people were`
  if (key === null) {
    throw new UsageError(
      `Of account "${account}" ${erased} erased, and without the key of the suppression list nobody can tell who: they would be ` +
        `stored again. Nothing was read. Set ${optionName('personKey')} to the key that was used then. If it is lost, see ` +
        `${commandName()} person erase --help (--replace-key).`,
    )
  }
  if (hashed.some(({ key_check }) => key_check !== key.check)) {
    throw new UsageError(
      `Of account "${account}" ${erased} erased with another key than that of ${optionName('personKey')}: with this one nobody can ` +
        `tell who, and they would be stored again. Nothing was read. Give the former key. If it is lost, see ` +
        `${commandName()} person erase --help (--replace-key).`,
    )
  }
}
