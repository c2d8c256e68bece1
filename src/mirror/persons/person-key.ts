import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import type { PersonKey } from '../../normalise/suppression/person-key.ts'

/** @throws UsageError when there is none */
export function requirePersonKey(key: PersonKey | null): PersonKey {
  if (key !== null) return key
  throw new UsageError(
    `person erase and restore need the key of the suppression list: set ${optionName('personKey')}. ` +
      `Make one with: (umask 077; openssl rand -hex 32 > person.key). Keep it with your other secrets, not in the database, and ` +
      `give it to every ${commandName()} sync from then on.`,
  )
}
