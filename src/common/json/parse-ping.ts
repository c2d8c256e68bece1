import { InvalidResponseError } from '../errors.ts'
import { invalidJson } from './array-reader.ts'
import { isObject } from './exact.ts'
import { isValidPostgresText } from '../text/postgres-text.ts'
import { parseOrThrow } from './parse-item.ts'

/**
 * Reads the answer to `/ping`. An e-mail address that is no text, is empty or that no database can hold is none.
 *
 * @throws InvalidResponseError unless the text is one JSON object.
 */
export function parsePing(text: string): { email: string | null } {
  const value = parseOrThrow(text, (at) => invalidJson('GET /ping', at))
  if (!isObject(value)) {
    const type = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`
    throw new InvalidResponseError(
      `GET /ping: the answer must be one JSON object, but is ${type}. ` +
        'Check that the base address is that of the service, and that the service speaks version 1 of its interface.',
    )
  }
  const email = value['email']
  const isUsable = typeof email === 'string' && email !== '' && isValidPostgresText(email)
  return { email: isUsable ? email : null }
}
