/** Checks the first and last bytes of a body before it is parsed: can it be the expected JSON? */
import { InvalidResponseError, UnexpectedPaginationError, UnreachableError } from '../../common/errors.ts'
import { skipSpace } from '../../common/json/scan.ts'
import { bomLength, decodeUtf8 } from '../../common/json/utf8.ts'
import { readFrom, type Body } from './receive.ts'

export interface BodyContext {
  readonly path: string
  readonly isDelimited: boolean
  /** Shortens a text for a message and removes the key from it. */
  readonly excerpt: (text: string) => string
}

const expectations = {
  list: { open: '[', close: ']', name: 'list' },
  object: { open: '{', close: '}', name: 'object' },
} as const

/** White space may stand before the JSON and behind it, as much as a service likes: it is read in blocks of so many bytes. */
const BLOCK_BYTES = 64 * 1024
/** So many bytes show what begins there. */
const BEGINNING_BYTES = 64
/** So many bytes show UTF-16 and UTF-32. */
const UTF_PROBE_BYTES = 4
/** A larger object is not parsed for the sake of a message. */
const MAX_PARSED_OBJECT_BYTES = 1024 * 1024
const MAX_EXCERPT_BYTES = 64 * 1024
const paginationKeys = ['next', 'cursor', 'next_page', 'page', 'data', 'items', 'results', 'total']

/**
 * @throws InvalidResponseError for an empty body, one that is not UTF-8, an HTML page, or JSON of another kind;
 * UnreachableError (worth another try) for a body that has no end mark and visibly breaks off
 */
export async function requireJsonBody(
  body: Body,
  kind: 'list' | 'object',
  subject: BodyContext,
): Promise<void> {
  const { open, close, name } = expectations[kind]
  if (subject.isDelimited && body.isUtf8 && beginsWith(await readFrom(body, 0, UTF_PROBE_BYTES), open)) return
  const offset = await firstOffset(body)
  const start = decodeUtf8(await readFrom(body, offset, BEGINNING_BYTES)).trimStart()
  const isOpen = start.startsWith(open)
  // This check comes first: a truncated body may end inside a character.
  if (isOpen && !subject.isDelimited && (await lastCharacter(body)) !== close) {
    throw new UnreachableError(
      `GET ${subject.path}: the connection ended in the middle of the ${name}, whose length was not announced.`,
    )
  }
  // ASCII in UTF-16 or UTF-32 is valid UTF-8 with zero bytes.
  // guard: UTF-8
  if (!body.isUtf8 || (await readFrom(body, 0, UTF_PROBE_BYTES)).includes(0)) {
    throw new InvalidResponseError(
      `GET ${subject.path}: the body is not UTF-8 text, so it is not the JSON that was asked for.`,
    )
  }
  if (isOpen) return
  const answered = `GET ${subject.path} was answered with`
  if (start === '') {
    throw new InvalidResponseError(`${answered} an empty body where a JSON ${name} belongs.`)
  }
  const quoted = subject.excerpt(decodeUtf8(await readFrom(body, offset, MAX_EXCERPT_BYTES)))
  if (start.startsWith('<')) {
    throw new InvalidResponseError(
      `${answered} an HTML page (to log in?), not a JSON ${name}. Check the base address. It begins: ${quoted}`,
    )
  }
  if (start.startsWith('{')) {
    const paged = await describePagination(body)
    const message = `${answered} an object, not a list${paged}: ${quoted}`
    throw paged === '' ? new InvalidResponseError(message) : new UnexpectedPaginationError(message)
  }
  throw new InvalidResponseError(`${answered} something that is no JSON ${name}. It begins: ${quoted}`)
}

/** The fast path for nearly every body: no byte order mark, no white space, no zero byte as in UTF-16 or UTF-32. */
function beginsWith(start: Buffer, open: string): boolean {
  return start[0] === open.charCodeAt(0) && !start.includes(0)
}

/** Where the JSON begins, behind a byte order mark and white space; the size of a body that has nothing else. */
async function firstOffset(body: Body): Promise<number> {
  let offset = bomLength(await readFrom(body, 0, UTF_PROBE_BYTES))
  while (offset < body.size) {
    const block = await readFrom(body, offset, BLOCK_BYTES)
    const skipped = skipSpace(block, 0)
    offset += skipped
    if (skipped < block.length) break
  }
  return offset
}

/** The last byte that is no white space, as a character; empty when there is none. */
async function lastCharacter(body: Body): Promise<string> {
  for (let end = body.size; end > 0;) {
    const offset = Math.max(0, end - BLOCK_BYTES)
    const block = (await readFrom(body, offset, end - offset)).toString('latin1').trimEnd()
    if (block !== '') return block.slice(-1)
    end = offset
  }
  return ''
}

async function describePagination(body: Body): Promise<string> {
  const keys = (await objectKeys(body)).filter((key) => paginationKeys.includes(key.toLowerCase()))
  if (keys.length === 0) return ''
  return ` (its keys ${keys.join(', ')} suggest a form of pagination that this program does not know)`
}

async function objectKeys(body: Body): Promise<readonly string[]> {
  if (body.size > MAX_PARSED_OBJECT_BYTES) return []
  const text = decodeUtf8(await readFrom(body, 0))
  try {
    return Object.keys(Object(JSON.parse(text)))
  } catch {
    // Not JSON: the caller's message shows how the body begins.
    return []
  }
}
