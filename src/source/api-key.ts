/** What a key must be before it may go into a header, and what a message may say of one. */
import { ConfigurationError } from '../common/errors.ts'
import { optionName } from '../common/option-names.ts'

/** @throws ConfigurationError, which never quotes the key. */
export function assertValidApiKey(key: string): void {
  if (/^[ \t]*$/.test(key)) {
    throw new ConfigurationError([
      `The API key (${optionName('apiKey')}) is empty. Give the one that the API page of the service shows.`,
    ])
  }
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

/** What to do about a key that the service rejects; no part of it is told. */
export function rejectedKeyRemedy(key: string): string {
  const quotes = /^(["'`]).*\1$/.test(key)
    ? ' It stands in quotation marks, which are sent with it: remove them if they are not part of the key.'
    : ''
  return `the key in ${optionName('apiKey')} is refused.${quotes} Make a new one on the service's API page.`
}
