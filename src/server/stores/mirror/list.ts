import type { Database } from '../../../db/database.ts'
import type { Requester } from '../../fair-allocator.ts'
import type { ListItems, PageRequest } from '../store.ts'
import { listVersion } from './lookups.ts'
import { lastIdOfPage, hasMoreThan, readChunks, type ItemChunk } from './items.ts'
import type { LargeListSlot, LargeListSlots } from './large-list-slots.ts'
import { openSnapshot, type Snapshot } from './snapshot.ts'

/** A list of up to so many characters is read whole, and its connection released before it is sent. */
const MAX_BUFFERED_CHARACTERS = 2 * 1024 ** 2

interface RequestedList {
  readonly account: number
  readonly list: string
  readonly requester: Requester
}

/** Reads a list or a page of it in one snapshot of the mirror. A large list keeps its connection while it is sent. */
export async function readList(
  database: Database,
  slots: LargeListSlots,
  requested: RequestedList,
  page: PageRequest,
): Promise<ListItems | undefined> {
  const begin = async () => {
    using _start = await slots.acquireStart(requested.requester)
    return await startRead(database, requested, page)
  }
  const started = await begin()
  if (started === undefined) return undefined
  if (started.standing.isWhole) return bufferedList(started)
  if (database.engine === 'pglite')
    return { ...(await bufferedList(started)), chunks: withoutSnapshot(started) }
  const slot = slots.tryAcquire(requested.requester)
  if (slot !== null) return streamedList(started, slot)
  // A request that waits for a slot must not hold a connection.
  await started.snapshot[Symbol.asyncDispose]()
  using waited = new DisposableStack()
  const acquired = waited.use(await slots.acquire(requested.requester))
  const again = await begin()
  if (again === undefined) return undefined
  if (again.standing.isWhole) return bufferedList(again)
  waited.move()
  return streamedList(again, acquired)
}

async function bufferedList({ standing, first, snapshot }: StartedRead): Promise<ListItems> {
  await snapshot[Symbol.asyncDispose]()
  return { ...standing, chunks: chunkTexts(first), [Symbol.asyncDispose]: async () => {} }
}

/**
 * Streams a list. When its slot is reclaimed, it releases the slot and the snapshot at once, and goes on with single
 * statements.
 */
function streamedList(started: StartedRead, slot: LargeListSlot): ListItems {
  const { standing, inView, rest, snapshot } = started
  const held = new AsyncDisposableStack()
  held.use(slot)
  held.use(snapshot)
  let pending: Promise<unknown> = Promise.resolve()
  const read = () => {
    const next = inView.next()
    pending = next.catch(() => {})
    return next
  }
  // The snapshot wrote nothing: an error at its end does not matter.
  const leave = () => void pending.then(() => held.disposeAsync()).catch(() => {})
  slot.reclaimed.addEventListener('abort', leave, { once: true })

  async function* chunks(): AsyncGenerator<string, void> {
    yield* chunkTexts(started.first)
    let last = started.first.at(-1)
    while (!slot.reclaimed.aborted) {
      const { value, done } = await read()
      if (done === true) return
      last = value
      yield value.text
    }
    yield* rest(last)
  }
  return { ...standing, chunks: chunks(), [Symbol.asyncDispose]: () => held.disposeAsync() }
}

interface StartedRead {
  readonly standing: Omit<ListItems, 'chunks' | typeof Symbol.asyncDispose>
  readonly first: readonly ItemChunk[]
  /** The chunks after `first`, in the snapshot. */
  readonly inView: AsyncGenerator<ItemChunk, void>
  readonly snapshot: Snapshot
  /** The texts of the chunks after one, without the snapshot. */
  readonly rest: (after: ItemChunk | undefined) => AsyncGenerator<string, void>
}

/** @returns undefined when the list was deleted since the lookup */
async function startRead(
  database: Database,
  { account, list }: RequestedList,
  { after, limit }: PageRequest,
): Promise<StartedRead | undefined> {
  await using opening = new AsyncDisposableStack()
  const snapshot = opening.use(await openSnapshot(database))
  const { trx } = snapshot
  const scope = { trx, account, list }
  const standing = await listVersion(trx.kysely, account, list)
  // guard: gone since it was found
  if (standing === undefined) return undefined
  const next = await lastIdOfPage(scope, { after, limit })
  const inView = readChunks(scope, after, next)
  const { first, isAll } = await readFirst(inView, ({ last }, count) => hasMoreThan(scope, last, next, count))
  const rest = (from: ItemChunk | undefined) =>
    whileUnchanged({ database, account, list, ...standing }, from, next)
  opening.move()
  return { standing: { ...standing, next, isWhole: isAll }, first, inView, snapshot, rest }
}

interface KnownVersion extends Omit<RequestedList, 'requester'> {
  readonly database: Database
  readonly version: string
}

/**
 * Chunks that are read without a snapshot belong together as long as the list keeps its version. PGlite always reads this
 * way: with its one connection, everything else would wait for the client. Postgres does so after a slot was reclaimed.
 */
async function* whileUnchanged(
  { database, account, list, version }: KnownVersion,
  after: ItemChunk | undefined,
  upTo: string | null,
): AsyncGenerator<string, void> {
  if (after === undefined) return
  const requireVersion = async () => {
    const now = await listVersion(database.kysely, account, list)
    // guard: one view on PGlite; one view without a place
    if (now?.version !== version) throw new Error('The list changed while it was sent.')
  }
  for await (const { text } of readChunks({ trx: database, account, list }, after.last, upTo)) {
    // Rows and version change in one transaction: a chunk read before the check belongs to that version.
    await requireVersion()
    yield text
  }
  // Rows that are gone make no chunk to be checked.
  // guard: end of one view
  await requireVersion()
}

/** @param moreFollow whether more than so many items follow a chunk */
async function readFirst(
  chunks: AsyncGenerator<ItemChunk, void>,
  moreFollow: (chunk: ItemChunk, count: number) => Promise<boolean>,
) {
  const first: ItemChunk[] = []
  for (let characters = 0; characters < MAX_BUFFERED_CHARACTERS;) {
    const { value, done } = await chunks.next()
    if (done === true) return { first, isAll: true }
    first.push(value)
    characters += value.text.length
    if (value.isEnd) return { first, isAll: true }
    // A quick check recognises a large list after its first chunk.
    if (first.length === 1 && (await moreFollow(value, remainingItems(value)))) break
  }
  return { first, isAll: false }
}

/** How many items of the same length still fit into a list that is read whole. */
function remainingItems({ text, count }: ItemChunk): number {
  return Math.max(0, Math.floor((MAX_BUFFERED_CHARACTERS * count) / text.length) - count)
}

async function* chunkTexts(chunks: readonly ItemChunk[]): AsyncGenerator<string, void> {
  for (const { text } of chunks) yield text
}

async function* withoutSnapshot({ first, rest }: StartedRead): AsyncGenerator<string, void> {
  yield* chunkTexts(first)
  yield* rest(first.at(-1))
}
