/** What a message says, in an order; how it looks depends on where it goes. No text in it has control characters. */
export interface Outline {
  readonly title: string
  readonly lead: readonly string[]
  readonly parts: readonly OutlinePart[]
  readonly end: readonly string[]
}

export interface OutlinePart {
  readonly heading: string
  readonly items: readonly string[]
  /** How many items are left out, and the command that shows all of them; null: none are. */
  readonly rest: { readonly count: string; readonly command: string } | null
}
