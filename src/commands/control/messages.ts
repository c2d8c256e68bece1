/**
 * What goes over a control socket: `POST /<call>` with who asks and the input, as JSON, and an answer of lines, each a JSON
 * document: parts of an answer, and at the end a value or an error. Without an end it was broken off.
 */
import { toError } from '../../common/abort.ts'
import { errorCodes, HeadcountError, type HeadcountErrorCode } from '../../common/errors.ts'
import { isObject, nonFiniteAsText, parseJson, parsePlain, type JsonValue } from '../../common/json/exact.ts'
import { boolean, object, text } from '../../mirror/calls/input.ts'

export interface Request {
  /** Both sides must be the same program: what the one wrote the other reads. */
  readonly version: string
  /** What the caller types to call the program: messages name it. */
  readonly command: string
  readonly input: JsonValue
  /** Changes also a mirror that was moved. */
  readonly force: boolean
}

/** @throws UsageError when it is no request */
export function decodeRequest(sent: string): Request {
  return readRequest(parsePlain(sent))
}

const readRequest = object({
  version: text,
  command: text,
  input: (sent) => sent ?? null,
  force: boolean,
})

export type Message =
  | { readonly part: JsonValue }
  | { readonly value: JsonValue }
  | {
      readonly error: {
        readonly code: HeadcountErrorCode
        readonly exit_code: number
        readonly message: string
      }
    }

/** What the process that has the folder open threw. */
export class HolderError extends HeadcountError {
  readonly code: HeadcountErrorCode
  readonly exitCode: number

  constructor(code: HeadcountErrorCode, exitCode: number, message: string) {
    super(message)
    this.code = code
    this.exitCode = exitCode
  }
}

export function encodeLine(name: 'part' | 'value', content: unknown): string {
  return `${JSON.stringify({ [name]: content }, nonFiniteAsText)}\n`
}

export function encodeError(error: unknown): string {
  const isOurs = error instanceof HeadcountError
  const message = toError(error).message
  const [code, exit_code] = isOurs ? [error.code, error.exitCode] : ['unexpected', 1]
  return `${JSON.stringify({ error: { code, exit_code, message: isOurs ? message : `unexpected: ${message}` } })}\n`
}

/** Null: no line of ours. */
export function decodeLine(line: string): Message | null {
  const json = parseJson(line)
  if (!isObject(json)) return null
  const { part, value, error } = json
  if (part !== undefined) return { part }
  if (value !== undefined) return { value }
  if (!isObject(error)) return null
  const { code, exit_code, message } = error
  const known = errorCodes.find((one) => one === code)
  if (known === undefined || typeof exit_code !== 'number' || typeof message !== 'string') return null
  return { error: { code: known, exit_code, message } }
}

/** The lines of a body, without their ends. What follows the last end is no line. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest: string[] = []
  for await (const bytes of body) {
    const [first = '', ...others] = decoder.decode(bytes, { stream: true }).split('\n')
    rest.push(first)
    for (const other of others) {
      yield rest.join('')
      rest = [other]
    }
  }
}
