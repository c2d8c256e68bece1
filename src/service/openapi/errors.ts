/** Every error that the service answers, as components of the document. */
import { schemaOf } from './schemas.ts'
import type { Answer, Header, Named, Reference } from './notation.ts'

interface Described {
  readonly status: number
  readonly title: string
  readonly codes: readonly string[]
  readonly description: string
  readonly detail: string
  readonly headers?: Named<Header>
}

const retryAfter: Header = {
  description: 'After so many seconds it makes sense to ask again',
  required: true,
  schema: { type: 'integer', minimum: 0 },
}

const described = {
  BadRequest: {
    status: 400,
    title: 'The query cannot be used',
    codes: ['bad_query', 'bad_request'],
    description: '`limit` or `after` is malformed or sent twice, or the request is not HTTP.',
    detail: 'limit must be an integer from 1 to 10000',
  },
  KeyRefused: {
    status: 401,
    title: 'No valid API key',
    codes: ['key_refused'],
    description:
      'The key is missing, wrong, expired, revoked or sent twice: always one and the same body, and before every other answer.',
    detail: 'send a valid API key of your account in the header X-API-Key, once',
    headers: {
      'WWW-Authenticate': {
        description: 'What to show',
        required: true,
        schema: { type: 'string', const: 'ApiKey' },
      },
    },
  },
  UnknownPath: {
    status: 404,
    title: 'Nothing is here',
    codes: ['unknown_path'],
    description: 'There is no such path, nor one with a slash at its end.',
    detail: 'there are /ping, /events and /events/:event_id/responses below /api/v1',
  },
  UnknownEvent: {
    status: 404,
    title: 'No such event',
    codes: ['unknown_event'],
    description: 'The account has no event with that id.',
    detail: 'this account has no event with that id; GET /events lists those it has',
  },
  MethodNotAllowed: {
    status: 405,
    title: 'Only read',
    codes: ['method_not_allowed'],
    description: 'All paths are only read.',
    detail: 'this service is only read: use GET',
    headers: {
      Allow: {
        description: 'What to use',
        required: true,
        schema: { type: 'string', const: 'GET, HEAD' },
      },
    },
  },
  RequestTimeout: {
    status: 408,
    title: 'The request took too long',
    codes: ['request_timeout'],
    description: 'The request did not arrive whole in time.',
    detail: 'send the request at once',
  },
  AddressTooLong: {
    status: 414,
    title: 'The address is too long',
    codes: ['address_too_long'],
    description: 'The path and query are longer than 8 KiB.',
    detail: 'the address may have 8192 characters',
  },
  HeadersTooLarge: {
    status: 431,
    title: 'The headers are too large',
    codes: ['headers_too_large'],
    description: 'The headers are larger than 16 KiB.',
    detail: 'the headers may have 16 KiB',
  },
  Internal: {
    status: 500,
    title: 'The service failed',
    codes: ['internal'],
    description: 'The service failed; the particulars are in its log.',
    detail: 'the service could not answer: try again later',
  },
  Unavailable: {
    status: 503,
    title: 'Not ready',
    codes: ['not_ready', 'not_mirrored', 'too_old'],
    description:
      'The database is away or being migrated (`not_ready`), this was not mirrored yet (`not_mirrored`), or the mirror is older than the service may answer with (`too_old`).',
    detail: 'the mirror cannot be read now: try again later',
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
  'Internal',
  'Unavailable',
]

/** By status. */
export function errorsNamed(names: readonly ErrorName[]): Named<Reference> {
  return Object.fromEntries(
    names.map((name) => [described[name].status, { $ref: `#/components/responses/${name}` }]),
  )
}

/** The same for HEAD: nothing refers to an answer that has a body. */
export function headersOfErrors(names: readonly ErrorName[]): Named<Answer> {
  return Object.fromEntries(
    names.map((name) => [described[name].status, withoutBody(answerOf(described[name]))]),
  )
}

export function withoutBody({ description, headers }: Answer): Answer {
  return { description, ...(headers !== undefined && { headers }) }
}

function answerOf({ status, title, codes, description, detail, headers }: Described): Answer {
  const [code] = codes
  return {
    description,
    headers: {
      'Cache-Control': {
        description: 'Errors are not kept',
        required: true,
        schema: { type: 'string', const: 'no-store' },
      },
      ...headers,
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [schemaOf('Problem'), { properties: { status: { const: status }, code: { enum: codes } } }],
        },
        example: { type: 'about:blank', title, status, detail, code },
      },
    },
  }
}
