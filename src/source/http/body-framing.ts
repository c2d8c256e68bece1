/** The framing of a body: what the headers say about its end, compression and character set. */
import { BodyTooLargeError, InvalidResponseError } from '../../common/errors.ts'
import { type Headers, headerOf } from './headers.ts'

export interface Framing {
  readonly gzip: boolean
  /** Whether the body has an end mark besides the end of the connection. */
  readonly isDelimited: boolean
}

/**
 * @param path for messages
 * @param limit of bytes over the wire
 * @throws InvalidResponseError for a part of a body, two encodings or an unknown one, or a character set other than
 * UTF-8; BodyTooLargeError when `Content-Length` is above the limit
 */
export function readFraming(headers: Headers, path: string, limit: number): Framing {
  // guard: part of a list
  if (headerOf(headers, 'content-range') !== null) {
    throw new InvalidResponseError(
      `GET ${path} was answered with a part of a list (Content-Range), not with all of it.`,
    )
  }
  const transfer = headerOf(headers, 'transfer-encoding')?.trim().toLowerCase() ?? null
  if (transfer !== null && transfer !== 'chunked') {
    throw new InvalidResponseError(
      `GET ${path}: the transfer encoding "${transfer}" is not understood, only chunked is.`,
    )
  }
  const length = headerOf(headers, 'content-length')
  if (length !== null && Number(length) > limit) {
    throw new BodyTooLargeError(`GET ${path}: the body has ${length} bytes, more than the ${limit} allowed.`)
  }
  assertUtf8Charset(headerOf(headers, 'content-type'), path)
  return {
    gzip: isGzip(headerOf(headers, 'content-encoding'), path),
    // guard: end mark
    isDelimited: transfer !== null || length !== null,
  }
}

/** One layer is taken off, never two: 481 bytes of doubly gzipped body become 200 MB. */
function isGzip(header: string | null, path: string): boolean {
  if (header === null) return false
  const encodings = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const [first, second] = encodings
  if (first === undefined) return false
  if (second === undefined && (first === 'gzip' || first === 'x-gzip')) return true
  throw new InvalidResponseError(
    `GET ${path}: the content encoding "${encodings.join(', ')}" was not asked for; only gzip, once, is read.`,
  )
}

function assertUtf8Charset(contentType: string | null, path: string): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType ?? '')?.[1]
  if (charset === undefined || /^(?:utf-?8|us-ascii)$/i.test(charset)) return
  throw new InvalidResponseError(
    `GET ${path}: the character set "${charset.slice(0, 40)}" is not read, only UTF-8 is.`,
  )
}
