import { hash } from 'node:crypto'

/** What most addresses are: printable ASCII characters without capital letters. */
const USUAL = /^[!-@[-~]{1,1000}$/
const MAX_BYTES = 1000
const WHITE_SPACE = ' \t\n\r\f\v'

/**
 * The address by which a person is found, as the SQL function `headcount.email_key` makes it; null when nothing is left of it.
 */
export function emailKey(email: string): string | null {
  if (USUAL.test(email)) return email
  const key = trimmed(email)
    .normalize('NFC')
    .replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
  if (key === '') return null
  return Buffer.byteLength(key) <= MAX_BYTES ? key : `sha256:${hash('sha256', key)}`
}

/** Without white space at both ends; only that which SQL takes off, too. */
function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && WHITE_SPACE.includes(text[start] ?? '')) start += 1
  while (end > start && WHITE_SPACE.includes(text[end - 1] ?? '')) end -= 1
  return text.slice(start, end)
}
