/** How a list is answered: from what the client has, from memory, from the store, in this order. */
import type { Admitted } from './http/admission.ts'
import { JSON_TYPE, OWN_DATA, type Answer } from './http/http-response.ts'
import { createBodies } from './http/body-cache.ts'
import { codingFor, encode, encoder } from './http/content-encoding.ts'
import type { Coding } from './http/content-encoding.ts'
import type { ListItems, ServedList, Standing, Window } from './stores/store.ts'
import { etagOf, hasAlready } from './http/etag.ts'
import { textOf } from './http/pagination.ts'

export interface ListRequest {
  readonly list: ServedList
  readonly window: Window
  readonly isHead: boolean
  readonly admitted: Admitted
  readonly headers: {
    readonly 'if-none-match': string | undefined
    readonly 'cache-control': string | undefined
    readonly 'accept-encoding': string | undefined
  }
}

/** What the reading of a list takes at most, but for texts of rare letters: a large one is read in pieces. */
const READING_BYTES = 4 * 1024 ** 2

/** @param keptBytes how much of what was answered is kept in memory, in bytes */
export function createLists(keptBytes: number) {
  const bodies = createBodies(keptBytes)

  /** @returns undefined when the account has no such event any more */
  async function answer(request: ListRequest): Promise<Answer | undefined> {
    const { list, window, isHead, headers } = request
    const coding = codingFor(headers['accept-encoding'])
    const etag = etagOf(list, window, coding)
    if (hasAlready(headers, etag)) return notModified(list, etag)
    const kept = await send(request, etag, coding)
    if (kept !== undefined) return kept
    if (isHead && window.limit === null)
      return found(null, { standing: list, etag, coding, window, next: null })
    return read(request, etag, coding)
  }

  /** The body that is kept under this tag, if there is one. */
  async function send({ list, window, admitted }: ListRequest, etag: string, coding: Coding) {
    const body = await bodies.find(nameOf(list, etag), admitted)
    if (body === undefined) return undefined
    return found(body.bytes, { standing: list, etag, coding, window, next: body.next })
  }

  async function read(request: ListRequest, expected: string, coding: Coding): Promise<Answer | undefined> {
    const { list, window, admitted } = request
    using reading = new DisposableStack()
    const share = reading.use(await admitted.memory(READING_BYTES))
    if (bodies.has(nameOf(list, expected))) {
      // Somebody else read it while there was no memory for it.
      share.resize(0)
      const made = await send(request, expected, coding)
      if (made !== undefined) return made
      share.resize(READING_BYTES)
    }
    const items = await list.read(window)
    if (items === undefined) return undefined
    // The list may be another one by now than it was when it was found.
    const etag = etagOf(items, window, coding)
    const made = { standing: items, etag, coding, window, next: items.next }
    if (!items.isWhole) {
      admitted.keep(reading.move())
      const close = async () => items[Symbol.asyncDispose]()
      return found({ pieces: bracketed(items), close, through: encoder(coding) }, made)
    }
    await using whole = items
    const pieces: Buffer[] = []
    for await (const piece of bracketed(whole)) pieces.push(Buffer.from(piece))
    const bytes = await encode(Buffer.concat(pieces), coding)
    share.resize(bytes.byteLength)
    const body = bodies.add(nameOf(list, etag), { bytes, next: items.next }, reading.move(), admitted)
    return found(body.bytes, made)
  }

  return { answer }
}

function nameOf(list: ServedList, etag: string): string {
  return `${list.name} ${etag}`
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
