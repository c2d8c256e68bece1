import type { AccountName } from '../account/accounts.ts'
import type { Engine, EngineName, Mirror } from '../engines/engine.ts'
import type { Way } from '../service/response-modes.ts'

/** The mirrors that hold an account as it was, made when they are first asked for and kept for a round. */
export interface LoadedMirrors extends AsyncDisposable {
  /** A copy of one, for one measurement. */
  copy(engine: Engine, account: AccountName, way: Way): Promise<Mirror>
  /** Keeps a mirror that was loaded while that was measured. */
  keep(engine: Engine, account: AccountName, way: Way, mirror: Mirror): Promise<void>
}

/** Runs `sync --all` on a mirror at rest, and leaves it at rest. */
export type Load = (mirror: Mirror, account: AccountName, way: Way) => Promise<Mirror>

export function loadedMirrors(load: Load): LoadedMirrors {
  const kept = new Map<`${EngineName} ${AccountName} ${Way}`, Mirror>()

  async function loaded(engine: Engine, account: AccountName, way: Way): Promise<Mirror> {
    const known = kept.get(`${engine.name} ${account} ${way}`)
    if (known !== undefined) return known
    // Another way of answering only adds validators: a run over what is loaded learns them.
    const before = way === 'plain' ? engine.empty : await loaded(engine, account, 'plain')
    const mirror = await load(await engine.copy(before), account, way)
    kept.set(`${engine.name} ${account} ${way}`, mirror)
    return mirror
  }

  return {
    copy: async (engine, account, way) => engine.copy(await loaded(engine, account, way)),
    keep: async (engine, account, way, mirror) => {
      const key = `${engine.name} ${account} ${way}` as const
      if (kept.has(key)) await mirror[Symbol.asyncDispose]()
      else kept.set(key, mirror)
    },
    [Symbol.asyncDispose]: async () => {
      for (const mirror of kept.values()) await mirror[Symbol.asyncDispose]()
    },
  }
}
