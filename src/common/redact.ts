/** Removes the API key, or other secrets, from messages, from quoted bodies and from causes. */
import { errorCode } from './error-code.ts'
import { HeadcountError } from './errors.ts'

const MAX_EXCERPT_LENGTH = 200
const MAX_CAUSE_DEPTH = 8
const REMOVED = '[key removed]'
/** A shorter text is not secret, and occurs in ordinary words. */
const MIN_LENGTH = 4

export interface Redactor {
  /** The text without the secrets in any encoding. */
  readonly text: (text: string) => string
  /** The beginning of a body for a message: the secrets removed, then control characters, then all after 200 characters. */
  readonly excerpt: (text: string) => string
  /**
   * The error without the secrets in message, stack and causes. A HeadcountError is changed in place. Any other error is
   * replaced by a plain copy with its name, message, code and stack frames.
   */
  readonly error: (error: unknown) => Error
}

/**
 * @param secrets one, or several; one may be a part of another
 * @param removed what stands in their place
 */
export function createRedactor(secrets: string | readonly string[], removed = REMOVED): Redactor {
  const patterns = [secrets]
    .flat()
    .filter(({ length }) => length >= MIN_LENGTH)
    .toSorted((one, other) => other.length - one.length)
    .map((secret) => new RegExp(Array.from(secret, spellings).join(''), 'gi'))
  const text = (given: string): string =>
    patterns.reduce((shown, pattern) => shown.replace(pattern, removed), given)
  const excerpt = (body: string): string => {
    const line = text(body)
      .replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
    const start = Array.from(line.slice(0, 2 * MAX_EXCERPT_LENGTH)).slice(0, MAX_EXCERPT_LENGTH)
    return start.join('').length < line.length ? `${start.join('')}…` : line
  }
  return { text, excerpt, error: (error) => redactError(error, text, 0) }
}

/** The encodings of a character in a URL, in a JSON string and in HTML; in JSON `%` and `&` may be escaped themselves. */
function spellings(character: string): string {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, '0')
  const itself = /[\w\s]/.test(character) ? character : `\\${character}`
  const forms = [
    `\\\\?${itself}`,
    `(?:%|\\\\u0025)${hex}`,
    `\\\\u00${hex}`,
    `(?:&|\\\\u0026)#(?:0*${code}|x0*${hex});`,
  ]
  const html: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  }
  if (html[character] !== undefined) forms.push(html[character], `\\\\u0026${html[character].slice(1)}`)
  if (character === ' ') forms.push(String.raw`\+`)
  return `(?:${forms.join('|')})`
}

function redactError(error: unknown, text: (given: string) => string, depth: number): Error {
  const cleaned =
    error instanceof HeadcountError ? redactOwnError(error, text) : copyForeignError(error, text)
  const cause = error instanceof Error ? error.cause : undefined
  if (cause !== undefined)
    cleaned.cause = depth < MAX_CAUSE_DEPTH ? redactError(cause, text, depth + 1) : undefined
  return cleaned
}

function redactOwnError(error: HeadcountError, text: (given: string) => string): HeadcountError {
  const { message } = error
  error.message = text(message)
  // The stack repeats the original message.
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => error.message)
  return error
}

/** An error of the HTTP client may contain headers, sockets or a part of the body: they are not copied. */
function copyForeignError(error: unknown, text: (given: string) => string): Error {
  const copy = new Error(text(messageOf(error)))
  if (!(error instanceof Error)) return copy
  copy.name = error.name
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  copy.stack = [`${copy.name}: ${copy.message}`, ...frames.map(text)].join('\n')
  const code = errorCode(error)
  if (code !== null) Object.assign(copy, { code })
  return copy
}

function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  // JSON.parse quotes a few characters around the error, which may be a part of the key.
  if (cause instanceof SyntaxError) return cause.message.replace(/, (?:\.{3})?".*$/s, ', not valid JSON')
  return cause.message
}
