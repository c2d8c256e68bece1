import type { Requester } from '../fair-allocator.ts'

/**
 * What the HTTP part answers from: the mirror is one store, an account in memory another. A store knows accounts by
 * their keys.
 */
export interface Store {
  /**
   * Whom a key opens, and how the list stands that is asked for; no item of it is read. Undefined when the key opens
   * nobody (not known, expired, revoked). The key is never empty. How long the answer takes must not tell how much of the
   * key was right.
   *
   * @param list the list that is asked for; null: none
   * @throws UnavailableError while nothing can be said, or not of this account
   */
  resolve(key: string, list: ListName | null): Promise<Access | undefined>
  /** @throws UnavailableError while nothing can be answered */
  requireReady(): Promise<void>
  /** Ends what is under way beside requests; called when no request is any more. */
  close(): Promise<void>
}

/** An event's id, for the responses to it; the list of events itself has the name that no event has. */
export type ListName = string

/** The list of events. */
export const EVENTS = ''

export interface Access {
  /** Whose key it is, and which, so that what there is only so much of can be shared. */
  readonly requester: Requester
  /** Of the key's owner; null: not known. */
  readonly email: string | null
  /** Null: none was asked for; undefined: the account has no such event. */
  readonly list: ServedList | null | undefined
}

/** A list as it stands; its items are not read yet. */
export interface ServedList extends ListVersion {
  /** Names the list among those of all accounts, for what is kept of it. */
  readonly name: string
  /**
   * @returns undefined when the account has no such event any more
   * @throws UnavailableError when too many large lists are read already
   */
  read(window: PageRequest): Promise<ListItems | undefined>
}

/** What is known of a list besides its items. */
export interface ListVersion {
  /** Equal versions of a list have equal items, to the byte. */
  readonly version: string
  /** Seconds since the service was last seen to have it so. */
  readonly age: number
}

/** The part of a list that is asked for, in the order of ids. */
export interface PageRequest {
  /** The items after this id; null: from the first one on. */
  readonly after: string | null
  /** At most so many items; null: all. */
  readonly limit: number | null
}

/** Items in one view of the list, which may be younger than the one that was found. */
export interface ListItems extends ListVersion, AsyncDisposable {
  /** The id of the last item when more follow, else null. */
  readonly next: string | null
  /** Whether they are in memory all. */
  readonly isWhole: boolean
  /** Their JSON texts with commas between them, piece by piece; no piece is empty. */
  readonly chunks: AsyncIterable<string>
}
