/** Whether Postgres holds this text as it is: without U+0000 and half surrogate pairs. */
export function isValidPostgresText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The text with U+FFFD for each character that Postgres cannot hold. */
export function replaceInvalidChars(text: string): string {
  // guard: characters
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
