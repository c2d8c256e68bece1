/**
 * Why an item whose id is good cannot be stored all the same. Never both at once: numbers have their digits
 * only in items that are not nested too deep.
 */
export type Flaw = 'too_deep' | 'number_out_of_range'

/** What the reading of one item finds beside its row. */
export interface Findings {
  /** One entry a value that is not stored as sent: the name of the field set aside, or `REPAIRED`. */
  asides: string[] | null
  flaw: Flaw | null
  /** Fields of the spec that an item of this list carried with a value other than null. */
  readonly carried: Set<string>
}

/** Entry in `asides` for a text in which characters were replaced. */
export const REPAIRED = '(repaired)'

export function noteAside(findings: Findings, entry: string): void {
  if (findings.asides === null) findings.asides = [entry]
  else findings.asides.push(entry)
}
