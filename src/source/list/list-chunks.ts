/** The items of a list, however it is held: in memory it is one chunk, in a file it is cut into many. */
import { type Body, readStart } from '../body/receive.ts'
import { splitArray, readChunk } from './split-array.ts'
import { duplicateKeys } from '../../common/json/duplicate-keys.ts'
import { type KeyRemover, noKeyRemover } from '../../common/json/key-in-items.ts'
import { type ListPayload, parseList, parseChunk, type ArrayChunk } from '../../common/json/parse-list.ts'
import { decodeUtf8 } from '../../common/utf8.ts'

/** Reads a list through; each call anew. */
export type ListChunks = () => AsyncGenerator<ListPayload>

/** The first bytes of a page, enough for the characters that are looked at for keys that stand twice. */
const SCANNED_BYTES = 4096

/** @param bodies of the pages, all in memory */
export function singleChunk(bodies: readonly Body[], what: string, key: KeyRemover): ListChunks {
  return async function* () {
    const pages = await Promise.all(bodies.map(async (body) => decodeUtf8(await readStart(body))))
    yield parseList(pages, what, key)
  }
}

/** @param bodies of the pages: together they are too large for memory */
export function fileChunks(
  bodies: readonly Body[],
  chunkBytes: number,
  what: string,
  key: KeyRemover = noKeyRemover,
): ListChunks {
  /** Where the chunks stand, as soon as the list was read through: then it need not be searched again. */
  let known: readonly ChunkLocation[] | null = null
  return async function* () {
    const locations: ChunkLocation[] = []
    let count = 0
    for await (const { body, chunk, text } of known === null
      ? splitBodies(bodies, chunkBytes, what)
      : rereadChunks(known)) {
      const parsed = parseChunk(chunk, text, count, what, key)
      count += parsed.items.length
      locations.push({ body, chunk })
      yield parsed
    }
    known ??= locations
    const beginnings = await Promise.all(
      bodies.map(async (body) => decodeUtf8(await readStart(body, SCANNED_BYTES))),
    )
    yield { items: [], duplicateKeys: beginnings.flatMap(duplicateKeys), containedKey: false }
  }
}

/** All chunks in one. */
export async function concatChunks(chunks: AsyncIterable<ListPayload>): Promise<ListPayload> {
  const all: ListPayload[] = await Array.fromAsync(chunks)
  const [only] = all
  if (only !== undefined && all.length === 1) return only
  return {
    items: all.flatMap(({ items }) => items),
    duplicateKeys: all.flatMap(({ duplicateKeys }) => duplicateKeys),
    containedKey: all.some(({ containedKey }) => containedKey),
  }
}

interface ChunkLocation {
  readonly body: Body
  readonly chunk: ArrayChunk
}

async function* splitBodies(bodies: readonly Body[], chunkBytes: number, what: string) {
  for (const body of bodies) {
    for await (const [chunk, text] of splitArray(body, chunkBytes, what)) yield { body, chunk, text }
  }
}

async function* rereadChunks(locations: readonly ChunkLocation[]) {
  for (const { body, chunk } of locations) yield { body, chunk, text: await readChunk(body, chunk) }
}
