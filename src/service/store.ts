/**
 * What the HTTP part answers from. A store knows accounts by their keys; the sample account is one store,
 * and another may read the mirror.
 */
export interface Store {
  /**
   * The account that this key opens, or undefined. The key is never empty. How long the answer takes must
   * not tell how much of the key was right.
   */
  accountOf(key: string): ServedAccount | undefined | Promise<ServedAccount | undefined>
}

/** One account as the service shows it; items are what `JSON.stringify` can write. */
export interface ServedAccount {
  readonly email: string
  events(): readonly object[] | Promise<readonly object[]>
  /** The responses to an event, or undefined when the account has no such event. */
  responses(eventId: string): readonly object[] | undefined | Promise<readonly object[] | undefined>
}
