/** Every error that the service answers, as components of the document. */
import { PROBLEM_TYPE, problems, type ProblemCode } from '../problems.ts'
import { fixedHeader, type Answer, type Header, type Named, type Reference } from './openapi-types.ts'
import { schemaOf } from './schemas.ts'

interface Described {
  /** One status has them all. */
  readonly codes: readonly [ProblemCode, ...ProblemCode[]]
  readonly description: string
  readonly headers?: Named<Header>
}

const retryAfter: Header = {
  description: 'Seconds to wait before the request is tried again',
  required: true,
  schema: { type: 'integer', minimum: 0 },
}

const described = {
  BadRequest: {
    codes: ['bad_query', 'bad_request'],
    description: '`limit` or `after` is malformed or sent twice, or the request is not HTTP.',
  },
  KeyRefused: {
    codes: ['key_refused'],
    description:
      'The key is missing, wrong, expired, revoked or sent twice: always one and the same body, and before every other answer.',
    headers: { 'WWW-Authenticate': fixedHeader('What to show', 'ApiKey') },
  },
  UnknownPath: {
    codes: ['unknown_path'],
    description: 'There is no such path, nor one with a slash at its end.',
  },
  UnknownEvent: {
    codes: ['unknown_event'],
    description: 'The account has no event with that id.',
  },
  MethodNotAllowed: {
    codes: ['method_not_allowed'],
    description: 'All paths are only read.',
    headers: { Allow: fixedHeader('What to use', 'GET, HEAD') },
  },
  RequestTimeout: {
    codes: ['request_timeout'],
    description: 'The request did not arrive whole in time.',
  },
  AddressTooLong: {
    codes: ['address_too_long'],
    description: 'The path and query are longer than 8 KiB.',
  },
  HeadersTooLarge: {
    codes: ['headers_too_large'],
    description: 'The address and the headers are larger than 16 KiB.',
  },
  TooManyRequests: {
    codes: ['too_many_requests'],
    description:
      'Too many responses to this key, or to the account, are in progress: the rest of the capacity is for others. They end when they are read; a slow reader is cut off.',
    headers: { 'Retry-After': retryAfter },
  },
  Internal: {
    codes: ['internal'],
    description: 'The service failed; the particulars are in its log.',
  },
  Unavailable: {
    codes: ['not_ready', 'not_mirrored', 'too_old', 'held'],
    description:
      'The database is away or being migrated (`not_ready`), this was not mirrored yet (`not_mirrored`), the mirror is older than the service may answer with (`too_old`), or deletions of this list wait for a decision (`held`).',
    headers: { 'Retry-After': retryAfter },
  },
} as const satisfies Named<Described>

export type ErrorName = keyof typeof described

export const errors: Named<Answer> = Object.fromEntries(
  Object.entries(described).map(([name, error]) => [name, answerOf(error)]),
)

/** Those that every endpoint may answer. */
export const EVERYWHERE: readonly ErrorName[] = [
  'BadRequest',
  'KeyRefused',
  'RequestTimeout',
  'AddressTooLong',
  'HeadersTooLarge',
  'TooManyRequests',
  'Internal',
  'Unavailable',
]

/** By status. */
export function errorsNamed(names: readonly ErrorName[]): Named<Reference> {
  return Object.fromEntries(
    names.map((name) => [httpStatusOf(described[name]), { $ref: `#/components/responses/${name}` }]),
  )
}

/** The same for HEAD: nothing refers to an answer that has a body. */
export function headersOfErrors(names: readonly ErrorName[]): Named<Answer> {
  return Object.fromEntries(
    names.map((name) => [httpStatusOf(described[name]), withoutBody(answerOf(described[name]))]),
  )
}

export function withoutBody({ description, headers }: Answer): Answer {
  return { description, ...(headers !== undefined && { headers }) }
}

function httpStatusOf({ codes }: Described): number {
  return problems[codes[0]].status
}

function answerOf({ codes, description, headers }: Described): Answer {
  const [code] = codes
  const { status, title, detail } = problems[code]
  const titles = codes.map((code) => problems[code].title)
  return {
    description,
    headers: { 'Cache-Control': fixedHeader('Errors are not kept', 'no-store'), ...headers },
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            schemaOf('Problem'),
            { properties: { status: { const: status }, title: { enum: titles }, code: { enum: codes } } },
          ],
        },
        example: { type: 'about:blank', title, status, detail, code },
      },
    },
  }
}
