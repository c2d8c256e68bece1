import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { onAbort, raceAbort } from '../../../src/common/abort.ts'

const reason = new Error('over')

/** Callbacks by name, each of which says that it was called. */
function callbacks(signal: AbortSignal, names: readonly string[]) {
  const called: string[] = []
  const takeBack = names.map((name) => onAbort(signal, () => called.push(name)))
  return { called, takeBack }
}

test('calls those that were not taken back, in whatever order others were', () => {
  const stopping = new AbortController()
  const { called, takeBack } = callbacks(stopping.signal, ['a', 'b', 'c', 'd'])
  takeBack[1]?.()
  takeBack[1]?.()
  takeBack[3]?.()
  stopping.abort(reason)
  expect(called.toSorted()).toEqual(['a', 'c'])
})

test('calls at once when the signal is aborted already', () => {
  const { called } = callbacks(AbortSignal.abort(reason), ['a'])
  expect(called).toEqual(['a'])
})

test('each is called, also when one takes another back', () => {
  const stopping = new AbortController()
  const called: string[] = []
  const takeBackFirst = onAbort(stopping.signal, () => called.push('first'))
  onAbort(stopping.signal, takeBackFirst)
  onAbort(stopping.signal, () => called.push('last'))
  stopping.abort(reason)
  expect(called).toEqual(['first', 'last'])
})

test('a wait ends with what comes first', async () => {
  const stopping = new AbortController()
  const over = raceAbort(setImmediate('value'), stopping.signal)
  await expect(over).resolves.toBe('value')
  const stopped = raceAbort(new Promise(() => {}), stopping.signal)
  stopping.abort(reason)
  await expect(stopped).rejects.toBe(reason)
  await expect(raceAbort(Promise.resolve(), stopping.signal)).rejects.toBe(reason)
})
