/** A source for tests: no chance in its waits, closed when the test ends. */
import { onTestFinished } from 'vitest'
import { createSource, type Source, type SourceOptions } from '../../../src/source/api.ts'
import type { FetchedList } from '../../../src/source/fetched-list.ts'
import { type FaultServer, startFaultServer } from './fault-server.ts'
import { itemsOf } from '../accounts/read-items.ts'

export const testKey = 'canary-7d1f/+"key"'

export async function faultServer(options?: Parameters<typeof startFaultServer>[0]): Promise<FaultServer> {
  const server = await startFaultServer(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

export function numberText(baseUrl: URL, options: Partial<SourceOptions> = {}): Source {
  const source = createSource({ baseUrl, apiKey: testKey, random: () => 0, ...options })
  onTestFinished(() => source.close())
  return source
}

/** A list that must have come whole. */
export async function wholeOf(reading: ReturnType<Source['responses']>): Promise<FetchedList> {
  const list = await reading
  if (list === 'not_modified') throw new Error('A list was expected, and it is said to be as it was.')
  return list
}

/** The values of a list, and nothing kept. */
export async function valuesOf(reading: ReturnType<Source['responses']>): Promise<readonly unknown[]> {
  using list = await wholeOf(reading)
  return (await itemsOf(list)).map((item) => item.value)
}

/** The error that a promise ends with. */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  try {
    await promise
  } catch (error) {
    if (error instanceof Error) return error
  }
  throw new Error('An error was expected, and none came.')
}
