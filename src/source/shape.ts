/** Whether a whole body can be the JSON that was asked for, told from its first and last bytes, before any parse. */
import { ContractError, PagedObjectError, UnreachableError } from '../errors.ts'
import { requireUtf8, textOf } from './utf8.ts'

export interface Subject {
  readonly path: string
  readonly hasEndMark: boolean
  /** Shortens a text for a message and removes the key from it. */
  readonly excerpt: (text: string) => string
}

const wanted = {
  list: { open: '[', close: ']', name: 'list' },
  object: { open: '{', close: '}', name: 'object' },
} as const

/** Above this an object is not parsed only to word a message. */
const LARGEST_OBJECT_LOOKED_INTO = 1024 * 1024
const pagingKeys = ['next', 'cursor', 'next_page', 'page', 'data', 'items', 'results', 'total']

/**
 * @throws ContractError for an empty body, one that is not UTF-8, an HTML page, or JSON of another kind;
 * UnreachableError (worth another try) for a body that has no end mark and visibly breaks off
 */
export function requireShape(bytes: Buffer, kind: 'list' | 'object', subject: Subject): void {
  const { open, close, name } = wanted[kind]
  const start = textOf(bytes.subarray(0, 4096)).trimStart()
  const isOpen = start.startsWith(open)
  // Before anything else: a body that breaks off may break off inside a character.
  if (isOpen && !subject.hasEndMark && !bytes.subarray(-4096).toString('latin1').trimEnd().endsWith(close)) {
    throw new UnreachableError(
      `GET ${subject.path}: the connection ended in the middle of the ${name}, which says nothing about its length.`,
    )
  }
  requireUtf8(bytes, subject.path)
  if (isOpen) return
  const answered = `GET ${subject.path} was answered with`
  if (start === '') {
    throw new ContractError(`${answered} an empty body where a JSON ${name} belongs.`)
  }
  const quoted = subject.excerpt(textOf(bytes))
  if (start.startsWith('<')) {
    throw new ContractError(
      `${answered} an HTML page (to log in?), not a JSON ${name}. Check the base address. It begins: ${quoted}`,
    )
  }
  if (start.startsWith('{')) {
    const paged = paging(bytes)
    const message = `${answered} an object, not a list${paged}: ${quoted}`
    throw paged === '' ? new ContractError(message) : new PagedObjectError(message)
  }
  throw new ContractError(`${answered} something that is no JSON ${name}. It begins: ${quoted}`)
}

function paging(bytes: Buffer): string {
  const keys = keysOf(bytes).filter((key) => pagingKeys.includes(key.toLowerCase()))
  if (keys.length === 0) return ''
  return ` (its keys ${keys.join(', ')} look as if the service answered in pages, in a way that is not known)`
}

function keysOf(bytes: Buffer): readonly string[] {
  if (bytes.length > LARGEST_OBJECT_LOOKED_INTO) return []
  try {
    return Object.keys(Object(JSON.parse(textOf(bytes))))
  } catch {
    // Not JSON either: the caller's message shows how it begins.
    return []
  }
}
