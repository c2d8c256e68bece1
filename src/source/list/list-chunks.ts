/** The items of a list, however it is held: in memory it is one piece, in a file it is cut into many. */
import { type Body, firstOf } from '../body/receive.ts'
import { cutList, textOfPiece } from './split-array.ts'
import { duplicateKeys } from '../../common/json/duplicate-keys.ts'
import { type KeyRemover, noKeyRemover } from '../../common/json/key-in-items.ts'
import { type ListPayload, parseList, parseChunk, type ArrayChunk } from '../../common/json/parse-list.ts'
import { decodeUtf8 } from '../../common/utf8.ts'

/** Reads a list through; each call anew. */
export type ListPieces = () => AsyncGenerator<ListPayload>

/** The first bytes of a page, enough for the characters that are looked at for keys that stand twice. */
const BEGINNING = 4096

/** @param bodies of the pages, all in memory */
export function onePiece(bodies: readonly Body[], what: string, key: KeyRemover): ListPieces {
  return async function* () {
    const pages = await Promise.all(bodies.map(async (body) => decodeUtf8(await firstOf(body))))
    yield parseList(pages, what, key)
  }
}

/** @param bodies of the pages: together they are too large for memory */
export function manyPieces(
  bodies: readonly Body[],
  pieceBytes: number,
  what: string,
  key: KeyRemover = noKeyRemover,
): ListPieces {
  /** Where the pieces stand, as soon as the list was read through: then it need not be searched again. */
  let known: readonly Place[] | null = null
  return async function* () {
    const places: Place[] = []
    let count = 0
    for await (const { body, piece, text } of known === null ? cut(bodies, pieceBytes, what) : again(known)) {
      const parsed = parseChunk(piece, text, count, what, key)
      count += parsed.items.length
      places.push({ body, piece })
      yield parsed
    }
    known ??= places
    const beginnings = await Promise.all(
      bodies.map(async (body) => decodeUtf8(await firstOf(body, BEGINNING))),
    )
    yield { items: [], duplicateKeys: beginnings.flatMap(duplicateKeys), containedKey: false }
  }
}

/** All pieces in one. */
export async function joined(pieces: AsyncIterable<ListPayload>): Promise<ListPayload> {
  const all: ListPayload[] = await Array.fromAsync(pieces)
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  return {
    items: all.flatMap(({ items }) => items),
    duplicateKeys: all.flatMap(({ duplicateKeys }) => duplicateKeys),
    containedKey: all.some(({ containedKey }) => containedKey),
  }
}

interface Place {
  readonly body: Body
  readonly piece: ArrayChunk
}

async function* cut(bodies: readonly Body[], pieceBytes: number, what: string) {
  for (const body of bodies) {
    for await (const [piece, text] of cutList(body, pieceBytes, what)) yield { body, piece, text }
  }
}

async function* again(places: readonly Place[]) {
  for (const { body, piece } of places) yield { body, piece, text: await textOfPiece(body, piece) }
}
