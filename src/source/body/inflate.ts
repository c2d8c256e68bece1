/** Takes one layer of gzip off a stream, piece by piece: what comes out is counted by the one who reads. */
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 64 * 1024

export async function* gunzip(wire: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const pumped = pipeline(wire, gunzip)
  // A failure reaches the reader below through the stream; this promise only says it a second time.
  pumped.catch(() => {})
  try {
    yield* gunzip
  } finally {
    gunzip.destroy()
  }
}
