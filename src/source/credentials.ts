/** What a key must be before it may go into a header. */
import { ConfigurationError } from '../errors.ts'

/** @throws ConfigurationError, which never quotes the key. */
export function checkApiKey(key: string): void {
  if (/^[ \t]*$/.test(key)) throw new ConfigurationError(['The API key is empty. Set HEADCOUNT_API_KEY.'])
  if (/[\r\n]/.test(key)) {
    throw new ConfigurationError([
      'The API key holds a line break. Give it as one line, as the API page shows it.',
    ])
  }
  if (!/^[\x20-\x7e]+$/.test(key)) {
    throw new ConfigurationError([
      'The API key holds a character outside printable ASCII. Copy it again from the API page of the service.',
    ])
  }
}
