/** What a text begins with that a spreadsheet would run as a formula, in full width too. */
export const FORMULA_STARTS: readonly string[] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠']

/** A text with a ' before it where a spreadsheet would run it as a formula. */
export function inertText(text: string): string {
  return FORMULA_STARTS.some((start) => text.startsWith(start)) ? `'${text}` : text
}
