/**
 * Room for the bodies of one reading: memory up to a bound; beyond it a temporary file, for which a reading waits
 * until it has the one place that its source has for large lists.
 *
 * Small bodies need no place: their number is bounded by the number of requests at once.
 */
import type { LimitFunction } from 'p-limit'
import { acquire, type Release } from '../../common/semaphore.ts'
import { TemporaryFile } from './spool-file.ts'

export class BodyRoom implements Disposable {
  readonly #places: LimitFunction
  readonly #mostInMemory: number
  #giveBack: Release | null = null
  #file: TemporaryFile | null = null

  constructor(places: LimitFunction, mostInMemory: number) {
    this.#places = places
    this.#mostInMemory = mostInMemory
  }

  /** Whether this reading holds the place for large lists. */
  get isLarge(): boolean {
    return this.#giveBack !== null
  }

  /** Whether a reading of so many bytes is held in memory. */
  isInMemory(bytes: number): boolean {
    return bytes <= this.#mostInMemory
  }

  /** Waits for the place, and gives the reading's file. @throws TemporaryFileError */
  async file(signal: AbortSignal): Promise<TemporaryFile> {
    this.#giveBack ??= await acquire(this.#places, signal)
    return (this.#file ??= await TemporaryFile.make())
  }

  /** A try has failed and its bytes are gone: the place goes back unless the pages kept still need it. */
  keepOnly(bytes: number): void {
    if (this.isInMemory(bytes)) this[Symbol.dispose]()
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]()
    this.#file = null
    this.#giveBack?.()
    this.#giveBack = null
  }
}
