import { UsageError } from '../../common/errors.ts'
import { isValidPostgresText } from '../../common/text/postgres-text.ts'

/**
 * Makes sure that a text can be stored as it is.
 *
 * @throws UsageError naming it
 */
export function requireStorable(name: string, text: string, maxBytes: number): void {
  if (!isValidPostgresText(text))
    throw new UsageError(`${name} holds a character that no text of a database can hold.`)
  if (Buffer.byteLength(text) > maxBytes) throw new UsageError(`${name} is longer than ${maxBytes} bytes.`)
}
