import type { ServerResponse } from 'node:http'
import { withinTime } from '../../common/abort.ts'

/** How long the service waits for a client that reads a response: a fixed time, and more for the bytes it has read. */
export interface SendTimeout {
  readonly baseMs: number
  readonly bytesPerSecond: number
}

/** The same values that a run allows the service: a slow drip ends, a large list can finish. */
export const DEFAULT_SEND_TIMEOUT: SendTimeout = { baseMs: 60_000, bytesPerSecond: 256 * 1024 }

/** Of one write: whether the client reads shows only after a whole write. */
const MAX_WRITE_BYTES = 256 * 1024

/** Writes a body as fast as its client reads. */
interface BodyWriter {
  /** Resolves when the client has read the bytes; false: it has gone, or was too slow and was cut off. */
  write(bytes: Uint8Array): Promise<boolean>
  /** As `write`, with the last bytes. */
  end(bytes: Uint8Array | null): Promise<boolean>
}

/** For every body, cached or streamed. Only the time of waiting for the client counts. */
export function bodyWriter(outgoing: ServerResponse, { baseMs, bytesPerSecond }: SendTimeout): BodyWriter {
  let taken = 0
  let waitedMs = 0

  async function until(event: 'drain' | 'finish'): Promise<boolean> {
    if (outgoing.destroyed) return false
    const began = performance.now()
    const leftMs = Math.max(
      0,
      baseMs + /* guard: pace by what was taken */ (taken / bytesPerSecond) * 1000 - waitedMs,
    )
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const went = () => resolve(true)
    const gone = () => resolve(false)
    outgoing.once(event, went).once('close', gone)
    const isThere = await /* guard: clients that do not read */ withinTime(promise, leftMs, () => {
      resetConnection(outgoing)
      return false
    })
    outgoing.off(event, went).off('close', gone)
    waitedMs += performance.now() - began
    return isThere
  }

  async function write(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.byteLength; at += MAX_WRITE_BYTES) {
      if (outgoing.destroyed) return false
      const part = bytes.subarray(at, at + MAX_WRITE_BYTES)
      if (!outgoing.write(part) && !(await until('drain'))) return false
      taken += part.byteLength
    }
    return true
  }

  return {
    write,
    async end(bytes) {
      const before = bytes === null ? 0 : Math.max(0, bytes.byteLength - MAX_WRITE_BYTES)
      if (bytes !== null && before > 0 && !(await write(bytes.subarray(0, before)))) return false
      if (outgoing.destroyed) return false
      outgoing.end(bytes?.subarray(before))
      // The system accepts most bodies at once: they then take no memory of this process.
      return outgoing.socket?.writableLength === 0 || outgoing.writableFinished || until('finish')
    },
  }
}

/** A truncated body may look whole; a reset connection does not, and frees the system's buffers. */
export function resetConnection({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}
