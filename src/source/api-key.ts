/** The form of an API key, and what messages say about one. No message quotes a key. */
import { ConfigurationError } from '../common/errors.ts'
import { optionName } from '../common/options/option-names.ts'
import { InvalidValueError } from '../common/parse-values.ts'

/**
 * An API key travels in an HTTP header: one line of printable ASCII.
 *
 * @throws InvalidValueError that continues the name of the setting
 */
export function apiKey(key: string): string {
  if (/^[ \t]*$/.test(key)) throw new InvalidValueError('is empty: give it a value or remove it')
  if (/[\r\n]/.test(key)) throw new InvalidValueError('must be one line: there is a line break in it')
  if (!/^[\x20-\x7e]+$/.test(key)) {
    throw new InvalidValueError('must be plain ASCII: there is another character in it')
  }
  return key
}

/** @throws ConfigurationError */
export function assertValidApiKey(key: string): void {
  try {
    apiKey(key)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new ConfigurationError([
      `The API key (${optionName('apiKey')}) ${error.message}. Copy it from the API page of the service.`,
    ])
  }
}

/** What to do about a key that the service rejects. */
export function rejectedKeyRemedy(key: string): string {
  const quotes = /^(["'`]).*\1$/.test(key)
    ? ' It stands in quotation marks, which are sent with it: remove them if they are not part of the key.'
    : ''
  return `the key in ${optionName('apiKey')} is refused.${quotes} Make a new one on the service's API page.`
}
