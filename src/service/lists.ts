/** How a list is answered: from what the client has, from memory, from the store, in this order. */
import { LRUCache } from 'lru-cache'
import { JSON_TYPE, OWN_DATA, type Answer } from './answers.ts'
import { codingFor, encode, encoder } from './coding.ts'
import type { Coding } from './coding.ts'
import type { ListItems, ServedList, Standing, Window } from './store.ts'
import { etagOf, hasAlready } from './validator.ts'
import { textOf } from './window.ts'

export interface ListRequest {
  readonly list: ServedList
  readonly window: Window
  readonly isHead: boolean
  readonly headers: {
    readonly 'if-none-match': string | undefined
    readonly 'cache-control': string | undefined
    readonly 'accept-encoding': string | undefined
  }
}

/** A body that was made for one request and serves the next ones, as long as the list has the same version. */
interface Kept {
  readonly body: Uint8Array<ArrayBuffer>
  readonly next: string | null
}

const LARGEST_KEPT = 1024 ** 2
/** What an entry costs beside its body. */
const ENTRY_BYTES = 500

/** @param keptBytes how much of what was answered is kept in memory, in bytes */
export function createLists(keptBytes: number) {
  const kept = new LRUCache<string, Kept>({
    maxSize: Math.max(keptBytes, 1),
    maxEntrySize: LARGEST_KEPT,
    sizeCalculation: ({ body }) => body.byteLength + ENTRY_BYTES,
  })

  /** @returns undefined when the account has no such event any more */
  async function answer({ list, window, isHead, headers }: ListRequest): Promise<Answer | undefined> {
    const coding = codingFor(headers['accept-encoding'])
    const etag = etagOf(list, window, coding)
    if (hasAlready(headers, etag)) return notModified(list, etag)
    const known = kept.get(`${list.name} ${etag}`)
    if (known !== undefined) return found(known.body, { standing: list, etag, coding, window, ...known })
    if (isHead && window.limit === null)
      return found(null, { standing: list, etag, coding, window, next: null })
    return read(list, window, coding)
  }

  async function read(list: ServedList, window: Window, coding: Coding): Promise<Answer | undefined> {
    const items = await list.read(window)
    if (items === undefined) return undefined
    // The list may be another one by now than it was when it was found.
    const made = { standing: items, etag: etagOf(items, window, coding), coding, window, next: items.next }
    if (!items.isWhole) {
      const close = async () => items[Symbol.asyncDispose]()
      return found({ pieces: bracketed(items), close, through: encoder(coding) }, made)
    }
    await using whole = items
    const pieces: string[] = []
    for await (const piece of bracketed(whole)) pieces.push(piece)
    const body = await encode(Buffer.from(pieces.join('')), coding)
    kept.set(`${list.name} ${made.etag}`, { body, next: items.next })
    return found(body, made)
  }

  return { answer }
}

interface Made {
  readonly standing: Standing
  readonly etag: string
  readonly coding: Coding
  readonly window: Window
  readonly next: string | null
}

function found(body: Answer['body'], { standing, etag, coding, window, next }: Made): Answer {
  const link = next === null ? {} : { Link: `<?${textOf({ ...window, after: next })}>; rel="next"` }
  const encoded = coding === 'identity' ? {} : { 'Content-Encoding': coding }
  const headers = { 'Content-Type': JSON_TYPE, ...encoded, ...link }
  return { status: 200, headers: { ...headers, ...headersOf(standing, etag) }, body }
}

function notModified(list: ServedList, etag: string): Answer {
  return { status: 304, headers: headersOf(list, etag), body: null }
}

/** What a 304 says too. */
function headersOf({ age }: Standing, etag: string): Record<string, string> {
  return { ...OWN_DATA, Age: String(age), ETag: etag }
}

async function* bracketed({ pieces }: ListItems): AsyncGenerator<string, void> {
  let before = '['
  for await (const piece of pieces) {
    yield before + piece
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
