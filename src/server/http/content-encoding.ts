import { createGzip, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import Negotiator from 'negotiator'

export type ContentEncoding = 'gzip' | 'identity'

/** The client's preferred encoding; a client that accepts none gets the body without compression. */
export function negotiateEncoding(acceptEncoding: string | undefined): ContentEncoding {
  if (acceptEncoding === undefined) return 'identity'
  const accepted = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const best = accepted.encoding(['gzip', 'identity'])
  return best === 'gzip' ? 'gzip' : 'identity'
}

const compress = promisify(gzip)

export async function encodeBody(
  body: Buffer<ArrayBuffer>,
  encoding: ContentEncoding,
): Promise<Uint8Array<ArrayBuffer>> {
  return encoding === 'gzip' ? compress(body) : body
}

/** Creates the transform for a streamed body; null: none. */
export function encoderFor(encoding: ContentEncoding) {
  return encoding === 'gzip' ? () => createGzip() : null
}
