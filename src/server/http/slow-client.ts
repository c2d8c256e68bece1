import type { ServerResponse } from 'node:http'

/** How long a client may keep us waiting over an answer: so long, and longer for what it has taken. */
export interface SendTimeout {
  readonly baseMs: number
  readonly bytesPerSecond: number
}

/** As a run allows the service: a drip ends, a large list can finish. */
export const DEFAULT_SEND_TIMEOUT: SendTimeout = { baseMs: 60_000, bytesPerSecond: 256 * 1024 }

/** What is handed over at once: whether the client takes it shows only when all of it is gone. */
const MAX_WRITE_BYTES = 256 * 1024

/** The body of an answer, sent as fast as its client takes it. */
export interface BodyWriter {
  /** Resolves when the client has taken it; false: it has gone, or was too slow and is cut. */
  write(bytes: Uint8Array): Promise<boolean>
  /** The same with the last bytes, or all, or none. */
  end(bytes: Uint8Array | null): Promise<boolean>
}

/** Every body goes this way, from memory or while it is read. Only the time counts in which the client is waited for. */
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
    // guard: clients that do not read
    const timer = setTimeout(() => {
      resetConnection(outgoing)
      gone()
    }, leftMs)
    const isThere = await promise
    clearTimeout(timer)
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
      // Most answers are taken by the system at once: then they are in no memory of ours.
      return outgoing.socket?.writableLength === 0 || outgoing.writableFinished || until('finish')
    },
  }
}

/** A body that ends in the middle may look whole; a connection that is reset does not, and the system keeps nothing for it. */
export function resetConnection({ socket }: ServerResponse): void {
  socket?.resetAndDestroy()
}
