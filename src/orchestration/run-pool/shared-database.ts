/** One database for all runs of a pool, opened by the first one that needs it. */
import { MirrorNotFoundError } from '../../common/errors.ts'
import { connect, withoutClose, type ConnectOptions, type Database, type Target } from '../../db/connect.ts'
import { CONNECTIONS_PER_RUN } from '../../db/database.ts'

interface Opening {
  readonly database: Promise<Database>
  readonly createsFolder: boolean
}

export class SharedDatabase implements AsyncDisposable {
  readonly #target: Target
  readonly #options: ConnectOptions
  #opening: Opening | null = null

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
        database: connect(this.#target, { ...this.#options, createFolder }),
        createsFolder: createFolder,
      })
      try {
        return await opening.database
      } catch (error) {
        if (this.#opening === opening) this.#opening = null
        // Another run looked for a folder that this one makes.
        const isOnlyMissing = error instanceof MirrorNotFoundError && !opening.createsFolder
        if (!isOnlyMissing || !createFolder) throw error
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const database = await this.#opening?.database.catch(() => null)
    await database?.close()
  }
}
