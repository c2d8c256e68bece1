import { createHash, timingSafeEqual } from 'node:crypto'
import { EVENTS, type ListItems, type ServedList, type Store, type Window } from './store.ts'

/** An account in memory, such as the sample account; items have an `id` and are what `JSON.stringify` can write. */
export interface SingleAccount {
  readonly email: string
  events(): readonly object[] | Promise<readonly object[]>
  /** The responses to an event, or undefined when the account has no such event. */
  responses(eventId: string): readonly object[] | undefined | Promise<readonly object[] | undefined>
}

/** A store of one account with one key. */
export function createSingleStore({ apiKey, account }: { apiKey: string; account: SingleAccount }): Store {
  const expected = digest(apiKey)
  const holder = { account: account.email, key: 'only' }
  return {
    find: async (key, list) => {
      if (!timingSafeEqual(digest(key), expected)) return undefined
      return { holder, email: account.email, list: list === null ? null : await listOf(account, list) }
    },
    requireReady: async () => {},
    close: async () => {},
  }
}

/** An item as it goes out. */
interface Written {
  readonly id: string
  readonly text: string
}

type Compare = (a: string, b: string) => number

/** As the mirror's database orders them: by the bytes of UTF-8. */
const byBytes: Compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const byNumber: Compare = (a, b) => Number(BigInt(a) - BigInt(b))

async function listOf(account: SingleAccount, name: string): Promise<ServedList | undefined> {
  const items = name === EVENTS ? await account.events() : await account.responses(name)
  if (items === undefined) return undefined
  const compare = name === EVENTS ? byBytes : byNumber
  const written = items.map(write).toSorted((a, b) => compare(a.id, b.id))
  const version = digest(written.map(({ text }) => text).join('\n')).toString('hex')
  const standing = { version, age: 0 }
  return { name, ...standing, read: async (window) => ({ ...standing, ...partOf(written, window, compare) }) }
}

function write(item: object): Written {
  const id: unknown = Reflect.get(item, 'id')
  return { id: typeof id === 'string' ? id : JSON.stringify(id), text: JSON.stringify(item) }
}

function partOf(
  items: readonly Written[],
  { after, limit }: Window,
  compare: Compare,
): Pick<ListItems, 'next' | 'isWhole' | 'pieces' | typeof Symbol.asyncDispose> {
  const rest = after === null ? items : items.filter(({ id }) => compare(id, after) > 0)
  const part = limit === null ? rest : rest.slice(0, limit)
  const next = part.length < rest.length ? (part.at(-1)?.id ?? null) : null
  const pieces = piecesOf(part)
  return { next, isWhole: true, pieces, [Symbol.asyncDispose]: async () => {} }
}

async function* piecesOf(items: readonly Written[]): AsyncGenerator<string, void> {
  if (items.length > 0) yield items.map(({ text }) => text).join(',')
}

/** Digests have one length, so that comparing them takes the same time whatever was sent. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
