import { createGzip, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import Negotiator from 'negotiator'

export type Coding = 'gzip' | 'identity'

/** The content coding that the client likes best of ours; who accepts none of them gets the body as it is. */
export function codingFor(acceptEncoding: string | undefined): Coding {
  if (acceptEncoding === undefined) return 'identity'
  const accepted = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } })
  const best = accepted.encoding(['gzip', 'identity'])
  return best === 'gzip' ? 'gzip' : 'identity'
}

const compress = promisify(gzip)

export async function encode(body: Buffer<ArrayBuffer>, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
  return coding === 'gzip' ? compress(body) : body
}

/** What a body goes through while it is sent; null: nothing. */
export function encoder(coding: Coding) {
  return coding === 'gzip' ? () => createGzip() : null
}
