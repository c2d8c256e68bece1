import { emailKey } from './email-key.ts'
import type { PersonKey } from './person-key.ts'

/** No mail can be sent there (RFC 2606). */
const PSEUDONYM_DOMAIN = '@pseudonym.invalid'
const EMAIL_DIGITS = 32
const NAME_DIGITS = 16
/** No name of a person looks like it. */
const NAME_MARK = 'person-'

/**
 * What stands in place of a name or an address: the same text for the same person everywhere. That of an address begins with the digits of
 * its hash on the suppression list; null when nothing is left of the address.
 */
export function pseudonymOf(what: 'name' | 'email', text: string, key: PersonKey): string | null {
  if (what === 'name')
    return NAME_MARK + key.hash(`\0name\0${text.trim().normalize('NFC').toLowerCase()}`).slice(0, NAME_DIGITS)
  const found = emailKey(text)
  return found === null ? null : pseudonymOfHash(key.hash(found))
}

export function pseudonymOfHash(hash: string): string {
  return `${hash.slice(0, EMAIL_DIGITS)}${PSEUDONYM_DOMAIN}`
}

export function isPseudonym(what: 'name' | 'email', text: string): boolean {
  return what === 'name' ? /^person-[0-9a-f]{16}$/.test(text) : /^[0-9a-f]{32}@pseudonym\.invalid$/.test(text)
}

/** The hash on the suppression list that an address in the mirror stands for, be it the address itself or its pseudonym. */
export function hashBehind(emailKey: string, key: PersonKey, hashes: Iterable<string>): string {
  if (!isPseudonym('email', emailKey)) return key.hash(emailKey)
  return Iterator.from(hashes).find((hash) => pseudonymOfHash(hash) === emailKey) ?? ''
}
