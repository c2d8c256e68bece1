/** One database for all runs of a pool, opened by the first one that needs it. */
import { DataDirInUseError, MirrorNotFoundError } from '../../common/errors.ts'
import { connect, withoutClose, type ConnectOptions, type Database, type Target } from '../../db/connect.ts'
import { CONNECTIONS_PER_RUN } from '../../db/database.ts'

/** So long after a wait for a folder in vain, nobody waits for it again. */
const IN_USE_MS = 10_000

interface Opening {
  readonly database: Promise<Database>
  readonly createsFolder: boolean
}

export class SharedDatabase implements AsyncDisposable {
  readonly #target: Target
  readonly #options: ConnectOptions
  #opening: Opening | null = null
  /** When a folder was last found in use, by the clock of `performance.now()`. */
  #inUseAt = -Infinity

  constructor(target: Target, options: ConnectOptions) {
    this.#target = target
    this.#options = options
  }

  /**
   * The part of one run. On Postgres it has the connections of a run and no more: a heartbeat never waits for another run.
   *
   * @throws as connect
   */
  readonly open = async ({ createFolder = true }: ConnectOptions): Promise<Database> => {
    const database = await this.#openOnce(createFolder)
    return database.reserve?.(CONNECTIONS_PER_RUN) ?? withoutClose(database)
  }

  async #openOnce(createFolder: boolean): Promise<Database> {
    for (;;) {
      const opening = (this.#opening ??= {
        database: connect(this.#target, { ...this.#options, ...this.#wait(), createFolder }),
        createsFolder: createFolder,
      })
      try {
        return await opening.database
      } catch (error) {
        if (this.#opening === opening) {
          this.#opening = null
          if (error instanceof DataDirInUseError) this.#inUseAt = performance.now()
        }
        // Another run looked for a folder that this one makes.
        const isOnlyMissing = error instanceof MirrorNotFoundError && !opening.createsFolder
        if (!isOnlyMissing || !createFolder) throw error
      }
    }
  }

  /** The wait of one run is that of all: a thousand would wait one after the other. */
  #wait(): ConnectOptions {
    // guard: one wait for a folder
    return performance.now() - this.#inUseAt < IN_USE_MS ? { waitForFolderMs: 0 } : {}
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const database = await this.#opening?.database.catch(() => null)
    await database?.close()
  }
}
