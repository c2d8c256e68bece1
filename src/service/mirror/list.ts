import type { Database } from '../../db/database.ts'
import type { ListItems, Window } from '../store.ts'
import { standingOf } from './finding.ts'
import { lastOfPart, moreFollow, piecesOf } from './items.ts'
import type { Piece } from './items.ts'
import type { Places } from './places.ts'
import { openSnapshot } from './snapshot.ts'

/** A list of up to so many characters is read at once, and its connection given back before it is sent. */
const WHOLE_CHARACTERS = 2 * 1024 ** 2

/** Reads a list, or a part of it, in one view of the mirror. A large one keeps its connection while it is sent. */
export async function readList(
  database: Database,
  places: Places,
  account: number,
  list: string,
  window: Window,
): Promise<ListItems | undefined> {
  const begin = () => beginList(database, account, list, window)
  const begun = await begin()
  if (begun === undefined) return undefined
  if (begun.items.isWhole) return closed(begun)
  const place = places.tryTake()
  if (place !== null) return open(begun, place)
  // No connection waits for a place.
  await begun.open.disposeAsync()
  using waited = new DisposableStack()
  waited.use(await places.take())
  const again = await begin()
  if (again === undefined) return undefined
  return again.items.isWhole ? closed(again) : open(again, waited.move())
}

async function closed({ items, open }: Begun): Promise<ListItems> {
  await open.disposeAsync()
  return { ...items, [Symbol.asyncDispose]: async () => {} }
}

function open({ items, open }: Begun, place: Disposable): ListItems {
  const both = new AsyncDisposableStack()
  both.use(place)
  both.use(open)
  return { ...items, [Symbol.asyncDispose]: () => both.disposeAsync() }
}

interface Begun {
  readonly items: Omit<ListItems, typeof Symbol.asyncDispose>
  /** The view of the mirror, in which the rest is read. */
  readonly open: AsyncDisposableStack
}

/** @returns undefined when the list went since it was found */
async function beginList(
  database: Database,
  account: number,
  list: string,
  { after, limit }: Window,
): Promise<Begun | undefined> {
  await using opening = new AsyncDisposableStack()
  const { trx } = opening.use(await openSnapshot(database))
  const reading = { trx, account, list }
  const standing = await standingOf(trx.kysely, account, list)
  if (standing === undefined) return undefined
  const next = await lastOfPart(reading, { after, limit })
  const inView = piecesOf(reading, after, next)
  const { first, isAll } = await readFirst(inView, ({ last }, count) =>
    moreFollow(reading, last, next, count),
  )
  const begun = { ...standing, next, isWhole: isAll }
  const last = first.at(-1)
  if (trx.engine === 'postgres' || isAll || last === undefined) {
    return { items: { ...begun, pieces: textsOf(first, inView) }, open: opening.move() }
  }
  const rest = piecesOf({ ...reading, trx: database }, last.last, next)
  const pieces = textsOf(first, whileItIsSo(rest, { database, account, list, ...standing }))
  return { items: { ...begun, pieces }, open: new AsyncDisposableStack() }
}

interface Known {
  readonly database: Database
  readonly account: number
  readonly list: string
  readonly version: string
}

/**
 * PGlite has one connection, for which everything else would wait until the client has taken all: there the pieces are read
 * between other statements, and as long as the list has the version that it had at first, they are of one view.
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

async function* textsOf(
  first: readonly Piece[],
  rest: AsyncGenerator<Piece, void>,
): AsyncGenerator<string, void> {
  for (const { text } of first) yield text
  for await (const { text } of rest) yield text
}
