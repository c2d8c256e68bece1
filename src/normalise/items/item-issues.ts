/**
 * Why an item whose id is good cannot be stored all the same. Never both at once: numbers have their digits
 * only in items that are not nested too deep.
 */
export type Flaw = 'too_deep' | 'number_out_of_range'

/** What the reading of a list finds beside its rows. One for all items: an object for each would be garbage at once. */
export class Findings {
  /** Of the item that is read: one entry a value that is not stored as sent, the name of the field set aside or `REPAIRED`. */
  asides: string[] | null = null
  /** Of the item that is read. */
  flaw: Flaw | null = null
  /** Of all items so far: their patterns (observe/presence.ts) in one. */
  carried = 0
  /** The same of their slots. */
  carriedOfSlots = 0

  /** Goes to the next item. */
  next(): void {
    this.asides = null
    this.flaw = null
  }
}

/** Entry in `asides` for a text in which characters were replaced. */
export const REPAIRED = '(repaired)'

export function noteAside(findings: Findings, entry: string): void {
  if (findings.asides === null) findings.asides = [entry]
  else findings.asides.push(entry)
}
