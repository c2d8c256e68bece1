/**
 * Room for the bodies of one reading: memory up to a bound; beyond it a temporary file, for which a reading waits
 * until it has the one place that its source has for large lists.
 *
 * Small bodies need no place: their number is bounded by the number of requests at once.
 */
import type { LimitFunction } from 'p-limit'
import { acquire, type Release } from '../../common/semaphore.ts'
import { SpoolFile } from './spool-file.ts'

export class BodySpool implements Disposable {
  readonly #permits: LimitFunction
  readonly #maxBufferedBytes: number
  #release: Release | null = null
  #file: SpoolFile | null = null

  constructor(permits: LimitFunction, maxBufferedBytes: number) {
    this.#permits = permits
    this.#maxBufferedBytes = maxBufferedBytes
  }

  /** Whether this reading holds the permit for large lists. */
  get isLarge(): boolean {
    return this.#release !== null
  }

  /** Whether a reading of so many bytes is held in memory. */
  fitsInMemory(bytes: number): boolean {
    return bytes <= this.#maxBufferedBytes
  }

  /** Waits for the place, and gives the reading's file. @throws TemporaryFileError */
  async file(signal: AbortSignal): Promise<SpoolFile> {
    this.#release ??= await acquire(this.#permits, signal)
    return (this.#file ??= await SpoolFile.create())
  }

  /** A try has failed and its bytes are gone: the place goes back unless the pages kept still need it. */
  discardBeyond(bytes: number): void {
    if (this.fitsInMemory(bytes)) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]()
    this.#file = null
    this.#release?.()
    this.#release = null
  }
}
