/** Who was erased from a mirror: their responses are stored without personal data. */
import type { IntegerText } from '../../common/schema/items.ts'
import { findNaming } from './addresses-in-text.ts'
import { emailKey } from './email-key.ts'
import type { PersonKey } from './person-key.ts'

/** A response that was found by its address, and is suppressed by its id from now on. */
export interface FoundSuppression {
  readonly response_id: IntegerText
  /** HMAC-SHA-256 of the address, in hexadecimal digits. */
  readonly email_hash: string
}

/** Those that concern the list of one event. */
export interface ListSuppressions {
  /** Whether any response of the list is suppressed by its id. */
  readonly hasResponses: boolean
  /** Whether a response is suppressed by its id, whatever its address is now. */
  hasResponse(id: IntegerText): boolean
  /** The hash of the address when that person was erased, else null. */
  findHash(email: string | null): string | null
  /** Whether a text names an erased person's address. */
  mentions(text: string): boolean
}

const NONE: ReadonlySet<string> = new Set()
/** The suppressions of one account. */
export class Suppressions {
  readonly #key: PersonKey | null
  readonly #hashes: ReadonlySet<string>
  readonly #responses: ReadonlyMap<string, ReadonlySet<IntegerText>>

  /**
   * @param key null only without hashes
   * @param responses ids by event
   */
  constructor(
    key: PersonKey | null,
    hashes: ReadonlySet<string> = NONE,
    responses: ReadonlyMap<string, ReadonlySet<IntegerText>> = new Map(),
  ) {
    this.#key = key
    this.#hashes = hashes
    this.#responses = responses
  }

  /** Null when no response of the event can be suppressed. */
  forEvent(eventId: string): ListSuppressions | null {
    const responses = this.#responses.get(eventId) ?? NONE
    if (responses.size === 0 && this.#hashes.size === 0) return null
    return {
      hasResponses: responses.size > 0,
      hasResponse: (id) => responses.has(id),
      findHash: (email) => this.findHash(email),
      mentions: (text) => this.mentions(text),
    }
  }

  findHash(email: string | null): string | null {
    if (email === null || this.#key === null || this.#hashes.size === 0) return null
    const key = emailKey(email)
    if (key === null) return null
    const hash = this.#key.hash(key)
    return this.#hashes.has(hash) ? hash : null
  }

  mentions(text: string): boolean {
    if (this.#hashes.size === 0) return false
    return findNaming(text, (address) => this.findHash(address) !== null) !== null
  }
}
