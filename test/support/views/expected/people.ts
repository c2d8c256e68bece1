/** Who somebody is, and how many people a response stands for (views.md, rules 3 to 8). */
import { createHash } from 'node:crypto'

export type Meaning = 'coming' | 'maybe' | 'not_coming' | 'unknown'

const blanks = ' \t\n\r\f\v'

export function emailKey(email: string | null): string | null {
  if (email === null) return null
  let start = 0
  let end = email.length
  while (start < end && blanks.includes(email.charAt(start))) start += 1
  while (end > start && blanks.includes(email.charAt(end - 1))) end -= 1
  const key = email
    .slice(start, end)
    .normalize('NFC')
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  if (key === '') return null
  if (Buffer.byteLength(key) <= 1000) return key
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

export function personId(secret: Uint8Array, accountId: number, key: string | null): string | null {
  if (key === null) return null
  const inner = createHash('sha256').update(secret).update(`${accountId}\0${key}`).digest()
  return createHash('sha256').update(secret).update(inner).digest('hex').slice(0, 32)
}

export interface Countable {
  readonly kind: string
  readonly rsvp: string | null
  readonly quantity: bigint | null
  readonly slotCount: number
}

export function peopleOf(response: Countable, meaning: Meaning): bigint {
  const { rsvp, quantity } = response
  if (rsvp !== null) {
    if (meaning === 'not_coming') return 0n
    return quantity === null || quantity < 1n ? 1n : quantity
  }
  if (response.kind === 'signup' && response.slotCount === 0) return 0n
  if (quantity === null) return 1n
  return quantity < 0n ? 0n : quantity
}

export function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((sum, value) => sum + value, 0n)
}
