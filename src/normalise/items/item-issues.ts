/**
 * Why an item whose id is good cannot be stored all the same. Never both at once: numbers have their digits
 * only in items that are not nested too deep.
 */
export type FatalIssue = 'too_deep' | 'number_out_of_range'

/** What the reading of a list finds beside its rows. One for all items: an object for each would be garbage at once. */
export class ItemIssues {
  /** Of the item that is read: one entry a value that is not stored as sent, the name of the field set aside or `REPAIRED`. */
  setAside: string[] | null = null
  /** Of the item that is read. */
  fatal: FatalIssue | null = null
  /** Of all items so far: their field masks (observe/field-states.ts) in one. */
  fieldsPresent = 0
  /** The same of their slots. */
  slotFieldsPresent = 0

  /** Goes to the next item. */
  reset(): void {
    this.setAside = null
    this.fatal = null
  }
}

/** Entry in `setAside` for a text in which characters were replaced. */
export const REPAIRED = '(repaired)'

export function noteSetAside(issues: ItemIssues, entry: string): void {
  if (issues.setAside === null) issues.setAside = [entry]
  else issues.setAside.push(entry)
}
