import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RunTurn } from '../../../../src/orchestration/run-pool/run-turn.ts'
import { Turns } from '../../../../src/orchestration/run-pool/turns.ts'
import type { Database } from '../../../../src/db/connect.ts'

const never = new AbortController().signal

/** A run with the only turn, and a transaction that ends when it is told to. */
async function runWithTurn() {
  const turns = new Turns({ runs: 1, stateOf: () => 'answering', lastFailure: () => 0 })
  const turn = await turns.take('host', 'one', never)
  const told: boolean[] = []
  const runTurn = new RunTurn(turn, (isSuspended) => told.push(isSuspended))
  const ends: (() => void)[] = []
  const database = runTurn.over({
    transaction: () => new Promise<void>((resolve) => void ends.push(resolve)),
  } as unknown as Database)
  return {
    runTurn,
    turn,
    /** What was told of the turn: whether it was given away. */
    told,
    write: () => database.transaction(async () => {}),
    /** How many transactions have begun. */
    begun: () => ends.length,
    endTransaction: async (n: number) => {
      ends[n]?.()
      await setImmediate()
    },
    /** Whether another run gets the turn now. */
    isFree: async () => {
      const stopping = new AbortController()
      const other = turns.take('host', 'other', stopping.signal).then(
        (taken) => {
          taken.release()
          return true
        },
        () => false,
      )
      await setImmediate()
      stopping.abort(new Error('enough'))
      return other
    },
    takeOther: () => turns.take('host', 'other', never),
  }
}

test('a run that waits for a pause keeps its turn while it writes, and has none afterwards', async () => {
  const { runTurn, write, endTransaction, isFree, told } = await runWithTurn()
  const written = write()
  await setImmediate()
  runTurn.suspend()
  expect(await isFree()).toBe(false)
  expect(told).toEqual([])
  await endTransaction(0)
  await written
  expect(await isFree()).toBe(true)
  expect(told).toEqual([true])
  await runTurn.resume()
  expect(await isFree()).toBe(false)
  expect(told).toEqual([true, false])
})

test('what it reads late is written with a turn, which it gives away again', async () => {
  const { runTurn, write, begun, endTransaction, isFree, takeOther } = await runWithTurn()
  runTurn.suspend()
  const other = await takeOther()
  const written = write()
  await setImmediate()
  expect(begun()).toBe(0)
  other.release()
  await setImmediate()
  expect(begun()).toBe(1)
  expect(await isFree()).toBe(false)
  await endTransaction(0)
  await written
  expect(await isFree()).toBe(true)
})

test('a run whose source has ended writes its end without a turn, and leaves none behind', async () => {
  const { runTurn, write, begun, endTransaction, isFree, takeOther, turn } = await runWithTurn()
  runTurn.suspend()
  const other = await takeOther()
  const written = write()
  const resumed = runTurn.resume()
  await setImmediate()
  expect(begun()).toBe(0)
  runTurn.end()
  await setImmediate()
  expect(begun()).toBe(1)
  await endTransaction(0)
  await Promise.all([written, resumed])
  turn.release()
  expect(await isFree()).toBe(false)
  other.release()
  expect(await isFree()).toBe(true)
})
