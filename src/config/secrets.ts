import { readFileSync } from 'node:fs'
import { cannotReadSecret } from '../common/text/cannot-read.ts'
import { InvalidValueError, MIN_PERSON_KEY_LENGTH } from '../common/parse-values.ts'
import { apiKey } from '../source/api-key.ts'

/** The environment as a plain record; in tests, whatever stands for it. */
export type Environment = Readonly<Record<string, string | undefined>>

// oxlint-disable-next-line node/no-process-env -- the only reader of the environment
export const ownEnvironment: Environment = process.env

/**
 * A secret from a variable or from the file that a second variable names (as container secrets are given).
 * Neither the secret nor a part of it ever stands in a message.
 *
 * @returns null when neither is set
 * @throws InvalidValueError naming the variable
 */
export function readSecret(environment: Environment, variable: string): string | null {
  const fileVariable = `${variable}_FILE`
  const direct = environment[variable]
  const path = environment[fileVariable]
  if (direct !== undefined && path !== undefined) {
    throw new InvalidValueError(`${variable} and ${fileVariable} are both set: keep one of them`)
  }
  if (path !== undefined) return readNamedFile(fileVariable, path)
  if (direct === undefined) return null
  if (direct === '') throw new InvalidValueError(`${variable} is empty: give it a value or remove it`)
  return direct
}

/** Where a secret came from, for messages. */
export function secretSource(environment: Environment, variable: string): string {
  const path = environment[`${variable}_FILE`]
  return path === undefined ? variable : `${path} (${variable}_FILE)`
}

function readNamedFile(variable: string, path: string): string {
  if (path === '') throw new InvalidValueError(`${variable} is empty: name a file or remove it`)
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new InvalidValueError(`${variable}: ${cannotReadSecret(path, path, error)}`)
  }
  if (text === '') throw new InvalidValueError(`${variable}: the file ${JSON.stringify(path)} is empty`)
  return text
}

/** Blanks around a key come from copying. */
export function trimmedApiKey(text: string): string {
  return apiKey(text.replace(/^[ \t]+|[ \t]+$/g, ''))
}

/** A shorter text can be guessed, and with it every address on the list. */
export function personKey(text: string): string {
  if (text.length >= MIN_PERSON_KEY_LENGTH) return text
  throw new InvalidValueError(
    `must have ${MIN_PERSON_KEY_LENGTH} characters or more, and has ${text.length}: make one with openssl rand -hex 32`,
  )
}
