import { InvalidResponseError } from '../errors.ts'
import {
  isObject,
  MAX_ITEM_BYTES,
  MAX_ITEM_DEPTH,
  needsSourceText,
  parsePlain,
  parseWithSource,
} from './exact.ts'
import type { JsonValue } from './exact.ts'
import { duplicateKeys } from './duplicate-keys.ts'
import { itemOffsets } from './item-offsets.ts'
import type { ItemRange } from './item-offsets.ts'
import { type KeyRemover, noKeyRemover } from './key-in-items.ts'

/** Where a chunk stands in its body: its bytes, without the brackets that it is given. */
export interface ArrayChunk {
  readonly start: number
  readonly end: number
  /** The whole list is this chunk: only then may it be empty. */
  readonly isWhole: boolean
}

/** An item of a list as it was sent. */
export interface PayloadItem {
  /** Index in the list, from 0, over all its pages. */
  readonly index: number
  /** Integers and amounts are exact, except in an item nested deeper than `MAX_ITEM_DEPTH`. Without the key. */
  readonly value: JsonValue
  /** Length of the source text; 0 where the whole page is too short for an item above `MAX_ITEM_BYTES`. */
  readonly bytes: number
  /** The item as it stood in the body. */
  sourceText(): string
}

export interface ListPayload {
  readonly items: readonly PayloadItem[]
  /** Keys that stand twice in one object, near the beginning of a page (duplicate-keys.ts). */
  readonly duplicateKeys: readonly string[]
  /** Whether the key stood in it, and was removed from the values. */
  readonly containedKey: boolean
}

/**
 * Reads the pages of one list.
 *
 * @param what the list's name for messages, like `GET /events`.
 * @param key is removed from the values
 * @throws InvalidResponseError unless every page is one whole JSON array; nothing else can be thrown, however deep
 * or large the values are.
 */
export function parseList(
  pages: readonly string[],
  what: string,
  key: KeyRemover = noKeyRemover,
): ListPayload {
  const items: PayloadItem[] = []
  let containedKey = false
  for (const page of pages)
    containedKey = appendItems(items, page, parseArray(page, what), 0, key) || containedKey
  return { items, duplicateKeys: pages.flatMap(duplicateKeys), containedKey }
}

/**
 * Reads a chunk of a list that was cut (split-array.ts), as if it were a page.
 *
 * @param first how many items stand before it
 * @throws InvalidResponseError as parseList, and for a chunk without an item: a comma stands where an item belongs.
 */
export function parseChunk(
  piece: ArrayChunk,
  text: string,
  first: number,
  what: string,
  key: KeyRemover,
): ListPayload {
  const items: PayloadItem[] = []
  const values = parseChunkValues(piece, text, what)
  // guard: empty piece
  if (values.length === 0 && !piece.isWhole) throw invalidJson(what, piece.end)
  const containedKey = appendItems(items, text, values, first, key)
  return { items, duplicateKeys: [], containedKey }
}

/**
 * Reads the answer to `/ping`. An e-mail address that is no text, is empty or that no database can hold is none.
 *
 * @throws InvalidResponseError unless the text is one JSON object.
 */
export function parsePing(text: string): { email: string | null } {
  const value = parseBody(text, 'GET /ping')
  if (!isObject(value)) throw wrongType('GET /ping', 'object', value)
  const email = value['email']
  const isUsable = typeof email === 'string' && email !== '' && email.isWellFormed() && !email.includes('\0')
  return { email: isUsable ? email : null }
}

function parseArray(page: string, what: string): readonly JsonValue[] {
  const value = parseBody(page, what)
  // guard: complete list
  if (!Array.isArray(value)) throw wrongType(what, 'array', value)
  return value
}

function parseBody(text: string, what: string): JsonValue {
  return parseOrThrow(text, (position) => invalidJson(what, position, 'position'))
}

/** Brackets around the text make it an array, if it is anything. */
function parseChunkValues({ start, end }: ArrayChunk, text: string, what: string): readonly JsonValue[] {
  const fault = (position: number | null): InvalidResponseError =>
    invalidJson(what, position === null ? end : start + Buffer.byteLength(text.slice(1, position)))
  const value = parseOrThrow(text, fault)
  if (!Array.isArray(value)) throw fault(null)
  return value
}

/** `JSON.parse` quotes the body in its message, so only the place is taken over from it: bodies hold personal data. */
function parseOrThrow(text: string, fault: (position: number | null) => InvalidResponseError): JsonValue {
  try {
    return parsePlain(text)
  } catch (error) {
    const position = error instanceof Error ? /JSON at position (\d+)/.exec(error.message)?.[1] : undefined
    throw fault(position === undefined ? null : Number(position))
  }
}

/** @param place where it is not, if that is known: a position in its text, or a byte of the body */
export function invalidJson(
  what: string,
  place: number | null,
  unit: 'position' | 'byte' = 'byte',
): InvalidResponseError {
  return new InvalidResponseError(
    `${what}: the answer is not JSON${place === null ? '' : ` (at ${unit} ${place})`}, or not all of it. ` +
      'Look at what stands at this address: a log-in page, a proxy or an interrupted answer.',
  )
}

function wrongType(what: string, wanted: 'array' | 'object', value: JsonValue): InvalidResponseError {
  return new InvalidResponseError(
    `${what}: the answer must be one JSON ${wanted}, but is ${typeName(value)}. ` +
      'Check that the base address is that of the service, and that the service speaks version 1 of its interface.',
  )
}

function typeName(value: JsonValue): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : `a ${typeof value}`
}

/**
 * Ordinary pages are taken as parsed. The text is gone through a second time only for numbers that a double
 * cannot hold, for the size of items on a large page, or when someone asks for an item's source text.
 *
 * @returns whether the key stood in the text
 */
function appendItems(
  items: PayloadItem[],
  text: string,
  values: readonly JsonValue[],
  before: number,
  key: KeyRemover,
): boolean {
  const page = new PageText(text)
  const holdsKey = key.isIn(text)
  const needsDigits = needsSourceText(text)
  // Counted only where it can matter: a character takes three bytes at most.
  const isLarge = text.length > MAX_ITEM_BYTES / 3 && Buffer.byteLength(text) > MAX_ITEM_BYTES
  let place = 0
  for (const sent of values) {
    const exact = needsDigits
      ? withExactNumbers(sent, page.itemText(place), page.itemRange(place).depth)
      : sent
    const value = holdsKey ? key.removeFrom(exact) : exact
    const bytes = isLarge ? Buffer.byteLength(page.itemText(place)) : 0
    items.push(new PageItem(before + items.length, value, bytes, page, place))
    place += 1
  }
  return holdsKey
}

/** The text of a page, in which the items are looked for when the first of them is asked for. */
class PageText {
  readonly #text: string
  #slices: readonly ItemRange[] | null = null

  constructor(text: string) {
    this.#text = text
  }

  itemRange(place: number): ItemRange {
    this.#slices ??= itemOffsets(this.#text)
    const slice = this.#slices[place]
    if (slice === undefined)
      throw new Error(`The page has no item ${place}: the scanner disagrees with JSON.parse.`)
    return slice
  }

  itemText(place: number): string {
    const { start, end } = this.itemRange(place)
    return this.#text.slice(start, end)
  }
}

/** A class, for a million closures that hardly anyone calls are a part of the cost of a run. */
class PageItem implements PayloadItem {
  readonly index: number
  readonly value: JsonValue
  readonly bytes: number
  readonly #page: PageText
  readonly #place: number

  constructor(index: number, value: JsonValue, bytes: number, page: PageText, place: number) {
    this.index = index
    this.value = value
    this.bytes = bytes
    this.#page = page
    this.#place = place
  }

  sourceText(): string {
    return this.#page.itemText(this.#place)
  }
}

/** The reviver behind it recurses, and a deeper item is rejected in any case. */
function withExactNumbers(value: JsonValue, text: string, depth: number): JsonValue {
  // guard: large integers
  return depth <= MAX_ITEM_DEPTH && needsSourceText(text) ? parseWithSource(text) : value
}
