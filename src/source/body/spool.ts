/**
 * Where the bodies of one list are kept: in memory up to a limit, beyond it in a temporary file.
 *
 * A file needs the one permit of its source for large lists. The limit on concurrent requests bounds small lists.
 */
import type { Member, Release } from '../../common/semaphore.ts'
import { SpoolFile } from './spool-file.ts'

export class BodySpool implements Disposable {
  readonly #permits: Member
  readonly #inMemoryBytes: number
  #release: Release | null = null
  #file: SpoolFile | null = null

  constructor(permits: Member, inMemoryBytes: number) {
    this.#permits = permits
    this.#inMemoryBytes = inMemoryBytes
  }

  /** Whether this list holds the permit for large lists. */
  get isLarge(): boolean {
    return this.#release !== null
  }

  fitsInMemory(bytes: number): boolean {
    return bytes <= this.#inMemoryBytes
  }

  /** Waits for the permit, and returns the file of the list. @throws TemporaryFileError */
  async file(signal: AbortSignal): Promise<SpoolFile> {
    this.#release ??= await this.#permits.acquire(signal)
    return (this.#file ??= await SpoolFile.create())
  }

  /** An attempt has failed: releases the permit unless the earlier pages, of so many bytes, still need it. */
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
