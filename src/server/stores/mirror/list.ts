import type { Database } from '../../../db/database.ts'
import type { Holder } from '../../fair-shares.ts'
import type { ListItems, Window } from '../store.ts'
import { standingOf } from './lookups.ts'
import { lastOfPart, moreFollow, piecesOf } from './items.ts'
import type { Piece } from './items.ts'
import type { Place, Places } from './large-list-slots.ts'
import { openSnapshot, type Snapshot } from './snapshot.ts'

/** A list of up to so many characters is read at once, and its connection given back before it is sent. */
const WHOLE_CHARACTERS = 2 * 1024 ** 2

/** Which list, and who asks for it. */
export interface AskedList {
  readonly account: number
  readonly list: string
  readonly holder: Holder
}

/** Reads a list, or a part of it, in one view of the mirror. A large one keeps its connection while it is sent. */
export async function readList(
  database: Database,
  places: Places,
  asked: AskedList,
  window: Window,
): Promise<ListItems | undefined> {
  const begin = async () => {
    using _turn = await places.turn(asked.holder)
    return await beginList(database, asked, window)
  }
  const begun = await begin()
  if (begun === undefined) return undefined
  if (begun.standing.isWhole) return closed(begun)
  if (database.engine === 'embedded') return { ...(await closed(begun)), pieces: withoutView(begun) }
  const place = places.tryTake(asked.holder)
  if (place !== null) return open(begun, place)
  // No connection waits for a place.
  await begun.snapshot[Symbol.asyncDispose]()
  using waited = new DisposableStack()
  const late = waited.use(await places.take(asked.holder))
  const again = await begin()
  if (again === undefined) return undefined
  if (again.standing.isWhole) return closed(again)
  waited.move()
  return open(again, late)
}

async function closed({ standing, first, snapshot }: Begun): Promise<ListItems> {
  await snapshot[Symbol.asyncDispose]()
  return { ...standing, pieces: textsOf(first), [Symbol.asyncDispose]: async () => {} }
}

/**
 * The list as long as its client takes. When its place is needed it gives it back at once, and with it its view of the
 * mirror, and goes on between other statements.
 */
function open(begun: Begun, place: Place): ListItems {
  const { standing, inView, rest, snapshot } = begun
  const held = new AsyncDisposableStack()
  held.use(place)
  held.use(snapshot)
  let reading: Promise<unknown> = Promise.resolve()
  const read = () => {
    const next = inView.next()
    reading = next.catch(() => {})
    return next
  }
  // Nothing was written in the view: how it ends does not matter.
  const leave = () => void reading.then(() => held.disposeAsync()).catch(() => {})
  place.isNeeded.addEventListener('abort', leave, { once: true })

  async function* pieces(): AsyncGenerator<string, void> {
    yield* textsOf(begun.first)
    let last = begun.first.at(-1)
    while (!place.isNeeded.aborted) {
      const { value, done } = await read()
      if (done === true) return
      last = value
      yield value.text
    }
    if (last !== undefined) for await (const { text } of rest(last.last)) yield text
  }
  return { ...standing, pieces: pieces(), [Symbol.asyncDispose]: () => held.disposeAsync() }
}

interface Begun {
  readonly standing: Omit<ListItems, 'pieces' | typeof Symbol.asyncDispose>
  readonly first: readonly Piece[]
  /** What follows in the view of the mirror. */
  readonly inView: AsyncGenerator<Piece, void>
  readonly snapshot: Snapshot
  /** What follows an item, without the view. */
  readonly rest: (after: string) => AsyncGenerator<Piece, void>
}

/** @returns undefined when the list went since it was found */
async function beginList(
  database: Database,
  { account, list }: AskedList,
  { after, limit }: Window,
): Promise<Begun | undefined> {
  await using opening = new AsyncDisposableStack()
  const snapshot = opening.use(await openSnapshot(database))
  const { trx } = snapshot
  const reading = { trx, account, list }
  const standing = await standingOf(trx.kysely, account, list)
  if (standing === undefined) return undefined
  const next = await lastOfPart(reading, { after, limit })
  const inView = piecesOf(reading, after, next)
  const { first, isAll } = await readFirst(inView, ({ last }, count) =>
    moreFollow(reading, last, next, count),
  )
  const rest = (from: string) =>
    whileItIsSo(piecesOf({ ...reading, trx: database }, from, next), { database, account, list, ...standing })
  opening.move()
  return { standing: { ...standing, next, isWhole: isAll }, first, inView, snapshot, rest }
}

interface Known {
  readonly database: Database
  readonly account: number
  readonly list: string
  readonly version: string
}

/**
 * Pieces that are read between other statements are of one view as long as the list has the version that it had at first. So
 * it is on PGlite, which has one connection, for which everything else would wait until the client has taken all; and on
 * Postgres when others need the connection.
 */
async function* whileItIsSo(
  pieces: AsyncGenerator<Piece, void>,
  { database, account, list, version }: Known,
): AsyncGenerator<Piece, void> {
  for await (const piece of pieces) {
    // Rows and version change together: a piece that was read before it was looked at is of that view.
    const now = await standingOf(database.kysely, account, list)
    if (now?.version !== version) throw new Error('The list changed while it was sent.')
    yield piece
  }
}

/** @param moreFollow whether more than so many items follow a piece */
async function readFirst(
  pieces: AsyncGenerator<Piece, void>,
  moreFollow: (piece: Piece, count: number) => Promise<boolean>,
) {
  const first: Piece[] = []
  for (let characters = 0; characters < WHOLE_CHARACTERS;) {
    const { value, done } = await pieces.next()
    if (done === true) return { first, isAll: true }
    first.push(value)
    characters += value.text.length
    if (value.isEnd) return { first, isAll: true }
    // Whoever asks for a large list need not wait until enough of it is read to see that it is one.
    if (first.length === 1 && (await moreFollow(value, roomAfter(value)))) break
  }
  return { first, isAll: false }
}

/** How many items fit into a list that is read at once after this piece, if they are as long as these. */
function roomAfter({ text, count }: Piece): number {
  return Math.max(0, Math.floor((WHOLE_CHARACTERS * count) / text.length) - count)
}

async function* textsOf(pieces: readonly Piece[]): AsyncGenerator<string, void> {
  for (const { text } of pieces) yield text
}

async function* withoutView({ first, rest }: Begun): AsyncGenerator<string, void> {
  yield* textsOf(first)
  const last = first.at(-1)
  if (last !== undefined) for await (const { text } of rest(last.last)) yield text
}
