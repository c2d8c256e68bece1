import type { ItemHandler } from '../../common/json/array-reader.ts'
import { duplicateKeys, SCANNED_CHARACTERS } from '../../common/json/duplicate-keys.ts'
import type { IntegerText, RejectItem, ResponseItem } from '../../common/schema/items.ts'
import { ResponseRows, type RowKey } from '../../copy-format/response-rows.ts'
import { DECLINED } from '../items/field-spans.ts'
import { underRules } from '../items/field-rules.ts'
import { normaliseItem, type ItemType } from '../items/normalise-item.ts'
import { emailIn, parseSent, type ParseOptions } from '../items/sent-item.ts'
import type { ItemIssues } from '../items/item-issues.ts'
import { ResponseWriter, type PrivacyOptions } from '../items/response-writer.ts'
import { RESPONSE } from '../items/responses.ts'
import { withoutPersonal } from '../../common/schema/personal-data.ts'
import type { FoundSuppression } from '../suppression/suppressions.ts'
import type { ResponseObserver } from '../observe/responses.ts'

/** What a list of responses is read with. */
export interface ResponseListOptions extends ParseOptions, Partial<PrivacyOptions> {
  readonly key: RowKey
  /** No item is taken straight from its bytes: each goes through `JSON.parse` and the rules of this folder. */
  readonly parseAll?: boolean
}

/** Bytes of a body, and how many bytes of the same chunk stand before them. */
interface Block {
  readonly bytes: Buffer
  readonly base: number
}

/** Items that were read one after the other: their rows, in the order of the items, and what the rows do not hold. */
export class ListChunk {
  readonly rows: ResponseRows
  readonly rejects: RejectItem[] = []
  /** By the place of the row: the values that are not stored as sent. */
  readonly setAside = new Map<number, readonly string[]>()
  readonly duplicateKeys: string[] = []
  /** Responses that were found by their address, not by their id. */
  readonly suppressed: FoundSuppression[] = []
  /** How many items there are. */
  length = 0
  /** How many rows the chunks before have. */
  readonly rowsBefore: number
  readonly #blocks: Block[] = []
  /** Where the item of each row begins and ends. */
  readonly #spans: number[] = []

  /** @param bytes about how many bytes of items there will be */
  constructor(key: RowKey, rowsBefore: number, bytes: number) {
    this.rows = new ResponseRows(key, bytes)
    this.rowsBefore = rowsBefore
  }

  addBlock(bytes: Buffer): void {
    const last = this.#blocks.at(-1)
    this.#blocks.push({ bytes, base: last === undefined ? 0 : last.base + last.bytes.length })
  }

  /** Notes where the item of the last row stands in the last block. */
  addSpan(start: number, end: number): void {
    const base = this.#blocks.at(-1)?.base ?? 0
    this.#spans.push(base + start, base + end)
  }

  itemBytes(place: number): Buffer {
    const start = this.#spans[2 * place] ?? Infinity
    const block = this.#blocks.findLast(({ base }) => base <= start)
    if (block === undefined || start === Infinity) throw new RangeError(`The chunk has no row ${place}.`)
    return block.bytes.subarray(start - block.base, (this.#spans[2 * place + 1] ?? 0) - block.base)
  }
}

/**
 * Makes rows of the items of a list of responses: ordinary ones straight from their bytes, all others by the rules of
 * this folder.
 */
export class ResponseReader implements ItemHandler {
  count = 0
  containedKey = false
  readonly #options: ResponseListOptions
  readonly #issues: ItemIssues
  readonly #observer: ResponseObserver | null
  readonly #type: ItemType<ResponseItem>
  #chunk: ListChunk | null = null
  readonly #writer: ResponseWriter
  #rowsBefore = 0
  #block: Buffer | null = null
  #mayHoldKey = false
  #charactersToScan = SCANNED_CHARACTERS

  /** @param observer null: the items were looked at before */
  constructor(options: ResponseListOptions, issues: ItemIssues, observer: ResponseObserver | null) {
    this.#options = options
    this.#issues = issues
    this.#observer = observer
    const { withoutPersonal = false, suppressed = null, rules = null } = options
    this.#writer = new ResponseWriter(issues, observer, { withoutPersonal, suppressed, rules })
    this.#type = underRules(RESPONSE, rules)
  }

  /** Takes the items that were read since the last call. */
  take(): ListChunk {
    const chunk = this.#chunk ?? new ListChunk(this.#options.key, this.#rowsBefore, 0)
    this.#rowsBefore += chunk.rows.count
    this.#chunk = null
    this.#block = null
    return chunk
  }

  tryItem(bytes: Buffer, start: number): number {
    const chunk = this.#chunkOf(bytes)
    // guard: another reading for verify
    const mustParse = this.#options.parseAll === true || this.#mayHoldKey
    const end = mustParse ? DECLINED : this.#writer.write(bytes, start, chunk.rows)
    if (end === DECLINED) return DECLINED
    chunk.addSpan(start, end)
    chunk.length += 1
    this.count += 1
    return end
  }

  item(bytes: Buffer, start: number, end: number, offset: number): void {
    const chunk = this.#chunkOf(bytes)
    const sent = parseSent(bytes.subarray(start, end), this.count, offset + start, this.#options)
    this.containedKey ||= sent.containedKey
    this.#scanKeys(chunk, sent.text)
    const result = normaliseItem(sent, this.#type, this.#issues, this.#observer)
    if ('reject' in result) chunk.rejects.push(result.reject)
    else {
      const isStripped =
        this.#isSuppressed(chunk, result.row.id, emailIn(sent)) || this.#options.withoutPersonal === true
      // What was set aside is not stored either.
      if (this.#issues.setAside !== null && !isStripped)
        chunk.setAside.set(chunk.rows.count, this.#issues.setAside)
      chunk.rows.add(isStripped ? withoutPersonal(result.row) : result.row)
      chunk.addSpan(start, end)
    }
    chunk.length += 1
    this.count += 1
  }

  #isSuppressed(chunk: ListChunk, id: IntegerText, email: string | null): boolean {
    const { suppressed } = this.#options
    if (!suppressed) return false
    // guard: suppressed by id
    if (suppressed.hasResponse(id)) return true
    const email_hash = suppressed.findHash(email)
    if (email_hash === null) return false
    chunk.suppressed.push({ response_id: id, email_hash })
    return true
  }

  #scanKeys(chunk: ListChunk, text: string): void {
    if (this.#charactersToScan <= 0) return
    chunk.duplicateKeys.push(...duplicateKeys(text.slice(0, this.#charactersToScan)))
    this.#charactersToScan -= text.length
  }

  /** The chunk that the items of this block go to. */
  #chunkOf(bytes: Buffer): ListChunk {
    const chunk = (this.#chunk ??= new ListChunk(this.#options.key, this.#rowsBefore, bytes.length))
    if (bytes === this.#block) return chunk
    this.#block = bytes
    chunk.addBlock(bytes)
    this.#mayHoldKey = this.#options.keyRemover.mayBeIn(bytes)
    return chunk
  }
}
