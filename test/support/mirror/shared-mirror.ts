/** A mirror of several accounts that is served for all tests of a file, and silent: nothing is printed, nothing goes wrong. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import type { Database } from '../../../src/db/connect.ts'
import { createHttpService } from '../../../src/server/http-service.ts'
import { freshMirror } from '../databases/databases.ts'
import { mirrorStore } from '../http/http-service.ts'
import { addAccount, type MirroredAccount } from '../accounts/many-accounts.ts'

export const names = ['north', 'south', 'west'] as const

export interface SharedMirror {
  readonly database: Database
  readonly port: number
  readonly accounts: Readonly<Record<(typeof names)[number], MirroredAccount>>
}

/** What it gives is there when the tests run. */
export function sharedMirror(): () => SharedMirror {
  const stack = new AsyncDisposableStack()
  const errors: unknown[] = []
  let made: SharedMirror | null = null

  beforeAll(async () => {
    const { database } = stack.use(await freshMirror('postgres'))
    const [north, south, west] = [
      await addAccount(database, 'north'),
      await addAccount(database, 'south'),
      await addAccount(database, 'west'),
    ]
    const store = mirrorStore(database)
    const service = createHttpService({ store, onError: (error) => errors.push(error) })
    stack.defer(() => service.close())
    const { port } = await service.listen({ host: '127.0.0.1', port: 0 })
    made = { database, port, accounts: { north, south, west } }
  })
  afterAll(() => stack.disposeAsync())
  expectSilence()
  afterEach(() => expect(errors).toEqual([]))

  return () => {
    if (made === null) throw new Error('The mirror is there only while tests run.')
    return made
  }
}

/** Nothing is written to the console by any test of this file. */
export function expectSilence(): void {
  const printed: unknown[] = []
  beforeEach(() => {
    for (const name of ['log', 'info', 'warn', 'error', 'debug'] as const)
      vi.spyOn(console, name).mockImplementation((...words) => printed.push(words))
  })
  afterEach(() => {
    vi.restoreAllMocks()
    expect(printed.splice(0)).toEqual([])
  })
}
