import type { Engine, EngineName } from './engine.ts'

/** Engines that start when they are first asked for, and end when this is disposed of. */
export interface Engines extends AsyncDisposable {
  readonly engine: (name: EngineName) => Promise<Engine>
}

export function enginesIn(folder: string): Engines {
  const stack = new AsyncDisposableStack()
  const started = new Map<EngineName, Promise<Engine>>()
  endBySignal(() => started.has('postgres'))
  return {
    engine: (name) => {
      const known = started.get(name)
      if (known !== undefined) return known
      const starting = startEngine(name, folder).then((engine) => stack.use(engine))
      started.set(name, starting)
      return starting
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function startEngine(name: EngineName, folder: string): Promise<Engine> {
  // Loaded when asked for: a bench on one engine must not need the other.
  if (name === 'postgres') return (await import('./postgres.ts')).startPostgres(folder)
  return (await import('./pglite.ts')).startPglite(folder)
}

/** A signal is to end the process by `exit`, at which folders and servers go; a Postgres is stopped by its own package first. */
function endBySignal(postgresIsStarted: () => boolean): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      if (!postgresIsStarted()) process.exit(130)
    })
  }
}
