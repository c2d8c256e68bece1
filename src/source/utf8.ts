/** Bytes to text: strictly UTF-8, as JSON between systems must be (RFC 8259, section 8.1). */
import { isUtf8 } from 'node:buffer'
import { ContractError } from '../errors.ts'

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** @throws ContractError for bytes that are not UTF-8, and for UTF-16 or UTF-32, whose ASCII passes for it */
export function requireUtf8(bytes: Buffer, path: string): void {
  if (isUtf8(bytes) && !bytes.subarray(0, 4).includes(0)) return
  throw new ContractError(
    `GET ${path}: the body is not UTF-8 text, so it is not the JSON that was asked for.`,
  )
}

/** The text without its byte order mark. */
export function textOf(bytes: Buffer): string {
  const from = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  return bytes.toString('utf8', from)
}
