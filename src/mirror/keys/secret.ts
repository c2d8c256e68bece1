import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Says what the text is, where someone finds it in a file or in a log. */
const PREFIX = 'hc_'
const RANDOM_BYTES = 32

/** `hc_` and 43 characters of base64url. */
export function generateKey(): string {
  return PREFIX + generateToken()
}

/** 43 characters of base64url: the secret part of the address of a link. */
export function generateToken(): string {
  return randomBytes(RANDOM_BYTES).toString('base64url')
}

/**
 * What is stored of a key or token: SHA-256 in hexadecimal digits. One round without salt is enough, for a key is 256 random
 * bits: there is no list of likely ones to try.
 */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

/** Whether two hashes are the same; how long it takes does not tell where they differ. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length === second.length && timingSafeEqual(first, second)
}
