/** A temporary file for a body too large for memory. It has no name, so it ends with the process. */
import { open, unlink, type FileHandle } from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toError } from '../../common/abort.ts'
import { errorCode } from '../../common/error-code.ts'
import { TemporaryFileError } from '../../common/errors.ts'

export class SpoolFile implements Disposable {
  readonly #handle: FileHandle
  readonly #folder: string
  /** The bytes of whole bodies. The next attempt overwrites the bytes of a failed one behind them. */
  size = 0

  private constructor(handle: FileHandle, folder: string) {
    this.#handle = handle
    this.#folder = folder
  }

  /** @throws TemporaryFileError */
  static async create(folder = tmpdir()): Promise<SpoolFile> {
    const path = join(folder, `headcount-${randomUUID()}`)
    return withRemedy(folder, async () => {
      // Bodies hold personal data: only the owner may read them.
      const handle = await open(path, 'wx+', 0o600)
      try {
        await unlink(path)
      } catch (error) {
        await handle.close()
        throw error
      }
      return new SpoolFile(handle, folder)
    })
  }

  /** @throws TemporaryFileError */
  async write(bytes: Buffer, offset: number): Promise<void> {
    await withRemedy(this.#folder, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#handle.write(bytes, done, bytes.length - done, offset + done)
        done += bytesWritten
      }
    })
  }

  /** Fills `bytes` from what was written. @throws TemporaryFileError */
  async read(bytes: Buffer, offset: number): Promise<void> {
    await withRemedy(this.#folder, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesRead } = await this.#handle.read(bytes, done, bytes.length - done, offset + done)
        if (bytesRead === 0) throw new Error('the file is shorter than what was written to it')
        done += bytesRead
      }
    })
  }

  [Symbol.dispose](): void {
    // The file has no name: an error here leaves nothing behind.
    this.#handle.close().catch(() => {})
  }
}

const another = 'name another folder in the environment variable TMPDIR'
const rights = `Give this user the right to write there, or ${another}`
const space = `Free space there, or ${another}`
const folderNeeded = `Make that folder, or ${another}`

const remedies: Readonly<Record<string, string>> = {
  ENOENT: folderNeeded,
  ENOTDIR: folderNeeded,
  EACCES: rights,
  EPERM: rights,
  EROFS: rights,
  ENOSPC: space,
  EDQUOT: space,
}

async function withRemedy<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new TemporaryFileError(
      `A list too large for memory needs a temporary file in ${folder}: ${toError(cause).message}. ` +
        `${remedies[errorCode(cause) ?? ''] ?? `Look at that folder, or ${another}`}.`,
      { cause },
    )
  }
}
