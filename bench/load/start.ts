import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Answered, Plan } from './plan.ts'

export interface Load extends AsyncDisposable {
  /** Resolves when its preparation is over. */
  readonly begun: Promise<void>
  /** @throws Error at an answer that is another than it should be */
  readonly answered: Promise<Answered>
  /** Asks for nothing more; what was asked for is answered. */
  stop(): void
}

/** What its process says. */
type Told = 'begun' | { readonly answered: Answered } | { readonly failed: string }

/** Asks in a process of its own, so that it does not wait for us. */
export function startLoad(plan: Plan): Load {
  const child = fork(new URL('./main.ts', import.meta.url), { execArgv: [] })
  const ended = once(child, 'exit')
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<Answered>()]
  const fail = (message: string) => {
    for (const { promise, reject } of [begun, answered]) {
      // Awaited in its turn.
      promise.catch(() => {})
      reject(new Error(message))
    }
  }
  child.on('message', (message) => {
    const told = message as Told
    if (told === 'begun') begun.resolve()
    else if ('failed' in told) fail(told.failed)
    else answered.resolve(told.answered)
  })
  child.once('exit', () => fail('The load ended without telling what became of it.'))
  child.send(plan)
  return {
    begun: begun.promise,
    answered: answered.promise,
    stop: () => void child.send('stop'),
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The same to its end. */
export async function load(plan: Plan, begin: () => void): Promise<Answered> {
  await using started = startLoad(plan)
  await started.begun
  begin()
  return await started.answered
}
