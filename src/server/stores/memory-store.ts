import { hash, timingSafeEqual } from 'node:crypto'
import { EVENTS, type ListItems, type ServedList, type Store, type PageRequest } from './store.ts'

/** An account in memory, such as the sample account. Its items have an `id` and can be serialised to JSON. */
export interface MemoryAccount {
  readonly email: string
  events(): readonly object[] | Promise<readonly object[]>
  /** The responses to an event, or undefined when the account has no such event. */
  responses(eventId: string): readonly object[] | undefined | Promise<readonly object[] | undefined>
}

/** A store of one account with one key. */
export function createMemoryStore({ apiKey, account }: { apiKey: string; account: MemoryAccount }): Store {
  const expected = digest(apiKey)
  const requester = { account: account.email, key: 'only' }
  return {
    resolve: async (key, list) => {
      if (!timingSafeEqual(digest(key), expected)) return undefined
      return {
        requester,
        email: account.email,
        list: list === null ? null : await listOf(account, list),
      }
    },
    requireReady: async () => {},
    close: async () => {},
  }
}

interface SerialisedItem {
  readonly id: string
  readonly text: string
}

type Compare = (a: string, b: string) => number

/** The order of the mirror's database: by the bytes of UTF-8. */
const byBytes: Compare = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const byNumber: Compare = (a, b) => Number(BigInt(a) - BigInt(b))

async function listOf(account: MemoryAccount, name: string): Promise<ServedList | undefined> {
  const items = name === EVENTS ? await account.events() : await account.responses(name)
  if (items === undefined) return undefined
  const compare = name === EVENTS ? byBytes : byNumber
  const written = items.map(serialise).toSorted((a, b) => compare(a.id, b.id))
  const version = digest(written.map(({ text }) => text).join('\n')).toString('hex')
  const listVersion = { version, age: 0 }
  return {
    name,
    ...listVersion,
    read: async (page) => ({ ...listVersion, ...pageOf(written, page, compare) }),
  }
}

function serialise(item: object): SerialisedItem {
  const id: unknown = Reflect.get(item, 'id')
  return { id: typeof id === 'string' ? id : JSON.stringify(id), text: JSON.stringify(item) }
}

function pageOf(
  items: readonly SerialisedItem[],
  { after, limit }: PageRequest,
  compare: Compare,
): Pick<ListItems, 'next' | 'isWhole' | 'chunks' | typeof Symbol.asyncDispose> {
  const rest = after === null ? items : items.filter(({ id }) => compare(id, after) > 0)
  const part = limit === null ? rest : rest.slice(0, limit)
  const next = part.length < rest.length ? (part.at(-1)?.id ?? null) : null
  const chunks = chunksOf(part)
  return { next, isWhole: true, chunks, [Symbol.asyncDispose]: async () => {} }
}

async function* chunksOf(items: readonly SerialisedItem[]): AsyncGenerator<string, void> {
  if (items.length > 0) yield items.map(({ text }) => text).join(',')
}

/** Digests have a fixed length: comparing them takes the same time for every key. */
const digest = (text: string) => hash('sha256', text, 'buffer')
