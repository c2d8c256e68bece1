/**
 * PGlite drops a byte order mark (U+FEFF) with which a value begins, for it reads each value as if it were a file: two events whose ids
 * differ by it would be one. What it dropped is put back from the bytes that Postgres sent.
 */
import type { PGlite } from '@electric-sql/pglite'
import type { PGliteLike } from './types.ts'

const MARK = '\uFEFF'
const MARK_BYTES = Buffer.from(MARK)

const DATA_ROW = 'D'.charCodeAt(0)
/** Of a message: its type and its length. */
const HEAD_BYTES = 5
const NULL_LENGTH = -1

/** Among the options of a statement, which PGlite hands on. A caller's own statements go without. */
const KEPT = Symbol('byte order marks are kept')
export const keptMarks: object = { [KEPT]: true }

type Protocol = Pick<PGlite, 'execProtocol' | 'execProtocolStream'>
type Message = Awaited<ReturnType<Protocol['execProtocolStream']>>[number]

const prepared = new WeakSet<PGliteLike>()

/** Of statements with `keptMarks`, by a property of its own before that of its class. What only looks like a PGlite stays as it is. */
export function keepByteOrderMarks(pglite: PGliteLike): void {
  if (prepared.has(pglite) || !hasProtocol(pglite)) return
  prepared.add(pglite)
  const stream = pglite.execProtocolStream.bind(pglite)
  const execProtocolStream: Protocol['execProtocolStream'] = async (message, options = {}) => {
    if (!Object.hasOwn(options, KEPT)) return stream(message, options)
    const { messages, data } = await pglite.execProtocol(message, options)
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    // guard: byte order marks
    if (bytes.includes(MARK_BYTES)) restoreMarks(messages, bytes)
    return messages
  }
  Reflect.defineProperty(pglite, 'execProtocolStream', {
    configurable: true,
    writable: true,
    value: execProtocolStream,
  })
}

function hasProtocol(pglite: PGliteLike): pglite is PGliteLike & Protocol {
  return ['execProtocol', 'execProtocolStream'].every(
    (name) => typeof Reflect.get(pglite, name) === 'function',
  )
}

/** @param bytes what the messages were read from */
function restoreMarks(messages: readonly Message[], bytes: Buffer): void {
  const rows = messages.values().filter(isDataRow)
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes[at] !== DATA_ROW) continue
    const { value: row } = rows.next()
    if (row !== undefined) restoreIn(row.fields, bytes, at + HEAD_BYTES)
  }
}

interface DataRow {
  readonly fields: (string | null)[]
}

function isDataRow(message: Message): message is Message & DataRow {
  return message.name === 'dataRow'
}

/** @param start where the number of fields is; each field is its length and its bytes */
function restoreIn(fields: DataRow['fields'], bytes: Buffer, start: number): void {
  let at = start + 2
  for (const [index, field] of fields.entries()) {
    const length = bytes.readInt32BE(at)
    at += 4
    if (length === NULL_LENGTH || field === null) continue
    if (bytes.subarray(at, at + Math.min(length, MARK_BYTES.length)).equals(MARK_BYTES))
      fields[index] = `${MARK}${field}`
    at += length
  }
}
