import type { Requester } from '../fair-allocator.ts'

/**
 * The data behind the HTTP service: the mirror is one store, an account in memory another. API keys identify accounts.
 */
export interface Store {
  /**
   * The account of a key, and the version of the requested list, without its items. Undefined for an invalid key
   * (unknown, expired, revoked). The time must not depend on how much of the key is right.
   *
   * @param key is not empty
   * @param list null: none
   * @throws UnavailableError while the store, or this account, cannot be read
   */
  resolve(key: string, list: ListName | null): Promise<Access | undefined>
  /** @throws UnavailableError while the store cannot be read */
  requireReady(): Promise<void>
  /** Ends background work; called after the last request. */
  close(): Promise<void>
}

/** An event's id for its list of responses, or `EVENTS`. */
export type ListName = string

/** The event list: no event has this id. */
export const EVENTS = ''

export interface Access {
  /** For the fair allocation of limited resources. */
  readonly requester: Requester
  /** Of the key's owner; null: unknown. */
  readonly email: string | null
  /** Null: none was requested; undefined: the account has no such event. */
  readonly list: ServedList | null | undefined
}

/** A list whose items are not read yet. */
export interface ServedList extends ListVersion {
  /** Unique over all accounts, for the cache. */
  readonly name: string
  /**
   * @returns undefined when the event has been deleted
   * @throws UnavailableError when too many large lists are being read
   */
  read(window: PageRequest): Promise<ListItems | undefined>
}

export interface ListVersion {
  /** Equal versions of a list have equal items, byte for byte. */
  readonly version: string
  /** Seconds since a run last checked the list at the service. */
  readonly age: number
}

/** The requested part of a list, in the order of ids. */
export interface PageRequest {
  /** The items after this id; null: from the first one on. */
  readonly after: string | null
  /** At most so many items; null: all. */
  readonly limit: number | null
}

/** Items of one version of the list, which may be newer than the version of the lookup. */
export interface ListItems extends ListVersion, AsyncDisposable {
  /** The id of the last item when more follow, else null. */
  readonly next: string | null
  /** Whether all items are in memory. */
  readonly isWhole: boolean
  /** The JSON texts of the items with commas between them, in chunks; no chunk is empty. */
  readonly chunks: AsyncIterable<string>
}
