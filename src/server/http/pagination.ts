import { isDecodable } from '../../common/text/is-decodable.ts'
import { problems } from '../problems.ts'
import type { PageRequest } from '../stores/store.ts'
import { MAX_PAGE_ITEMS } from './limits.ts'

/** The query is invalid; the message says what it must be. */
export class BadQueryError extends Error {
  override readonly name = 'BadQueryError'
}

const MIN_INTEGER = -(2n ** 63n)
const MAX_INTEGER = 2n ** 63n - 1n

/**
 * Parses `?limit=…&after=…`; other parameters are ignored.
 *
 * @param search of the address, as it came: hono leaves an escape that says nothing as it is
 * @param ids the type of the list's ids, and so of `after`
 * @throws BadQueryError
 */
export function parsePageRequest(
  query: Readonly<Record<string, string[]>>,
  search: string,
  ids: 'text' | 'integer',
): PageRequest {
  requireDecodable(search)
  const limit = singleValue('limit', query['limit'])
  const after = singleValue('after', query['after'])
  if (limit !== null && (!/^[1-9][0-9]{0,4}$/.test(limit) || Number(limit) > MAX_PAGE_ITEMS)) {
    throw new BadQueryError(problems.bad_query.detail)
  }
  if (after !== null && ids === 'integer' && !isInteger(after)) {
    throw new BadQueryError('after must be the id of a response, an integer')
  }
  // Postgres cannot store U+0000.
  if (after?.includes('\0') === true) throw new BadQueryError('after must be the id of an event')
  return { limit: limit === null ? null : Number(limit), after }
}

/** The query of a page, for its tag and for links. */
export function toQuery({ limit, after }: PageRequest): string {
  const query = new URLSearchParams()
  if (limit !== null) query.set('limit', String(limit))
  if (after !== null) query.set('after', after)
  return query.toString()
}

function requireDecodable(search: string): void {
  for (const part of search.slice(1).split('&')) {
    const [name = ''] = part.split('=')
    if (name !== 'limit' && name !== 'after') continue
    if (!isDecodable(part)) throw new BadQueryError(`${name} must be percent-encoded UTF-8`)
  }
}

function singleValue(name: string, values: readonly string[] | undefined): string | null {
  if (values !== undefined && values.length > 1) throw new BadQueryError(`${name} may be given only once`)
  return values?.[0] ?? null
}

function isInteger(text: string): boolean {
  if (!/^(?:0|-?[1-9][0-9]{0,18})$/.test(text)) return false
  const value = BigInt(text)
  return value >= MIN_INTEGER && value <= MAX_INTEGER
}
