import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  AccountLockedError,
  AccountMismatchError,
  ConfigurationError,
  DatabaseError,
  InterruptedError,
  AuthenticationError,
  UnreachableError,
  UsageError,
} from '../../../../src/common/errors.ts'
import {
  goodRun,
  day,
  hour,
  keepBusy,
  minute,
  pass,
  second,
  sleepOver,
  startWorking,
} from '../../../support/runs/worker.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-10T12:04:30Z') })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

test('runs once at the start and then at every tick', async () => {
  const worker = startWorking()
  await pass(31 * minute)
  expect(worker.began).toEqual([
    '2026-03-10T12:04:30.000Z',
    '2026-03-10T12:15:00.000Z',
    '2026-03-10T12:30:00.000Z',
  ])
  worker.stop()
  await worker.ended
})

test('shows the next tick at the start and after every run', async () => {
  const worker = startWorking()
  await pass(11 * minute)
  expect(worker.log.map(({ message }) => message)).toEqual([
    'the worker runs now, and then at 2026-03-10T12:15:00.000Z',
    'the next run is at 2026-03-10T12:15:00.000Z',
    'the next run is at 2026-03-10T12:30:00.000Z',
  ])
  worker.stop()
})

test('starts nothing more once it is stopped', async () => {
  const worker = startWorking()
  await pass(second)
  worker.stop()
  await worker.ended
  await pass(day)
  expect(worker.began).toHaveLength(1)
  expect(vi.getTimerCount()).toBe(0)
})

describe('a run longer than the interval', () => {
  const slow = (milliseconds: number) => async () => {
    await new Promise((resolve) => setTimeout(resolve, milliseconds))
    return goodRun
  }

  test('O3 run longer than the interval: ticks during the first run and during later ones are counted and dropped', async () => {
    const worker = startWorking({ run: slow(20 * minute) })
    await pass(90 * minute)
    expect(worker.began).toEqual([
      '2026-03-10T12:04:30.000Z',
      '2026-03-10T12:30:00.000Z',
      '2026-03-10T13:00:00.000Z',
      '2026-03-10T13:30:00.000Z',
    ])
    const skipped = worker.log.filter(({ message }) => message.startsWith('a tick was skipped'))
    expect(skipped.map(({ fields }) => fields)).toEqual([
      { tick: '2026-03-10T12:15:00.000Z', skipped_ticks: 1 },
      { tick: '2026-03-10T12:45:00.000Z', skipped_ticks: 2 },
      { tick: '2026-03-10T13:15:00.000Z', skipped_ticks: 3 },
    ])
    worker.stop()
  })

  test('O4 asleep over ticks in the middle of a run: that run is enough', async () => {
    const worker = startWorking({ run: slow(minute) })
    await pass(30 * second)
    sleepOver(8 * hour)
    await pass(5 * minute)
    expect(worker.began).toHaveLength(1)
    expect(worker.log.filter(({ message }) => message.startsWith('a tick was skipped'))).toHaveLength(1)
    worker.stop()
  })
})

describe('a machine that sleeps', () => {
  test('O4 asleep over ticks: one run soon after it wakes, and then the schedule again', async () => {
    const worker = startWorking()
    await pass(minute)
    sleepOver(8 * hour)
    await pass(6 * second)
    expect(worker.began).toHaveLength(2)
    await pass(25 * minute)
    expect(worker.began.slice(2)).toEqual(['2026-03-10T20:15:00.000Z', '2026-03-10T20:30:00.000Z'])
    expect(worker.log.filter(({ message }) => message.startsWith('a tick was missed'))).toHaveLength(1)
    worker.stop()
  })

  test('O4 asleep between two ticks: nothing was missed, and the next tick is on time', async () => {
    const worker = startWorking()
    await pass(minute)
    sleepOver(9 * minute)
    await pass(2 * minute)
    expect(worker.began).toEqual(['2026-03-10T12:04:30.000Z', '2026-03-10T12:15:00.000Z'])
    worker.stop()
  })

  test('O4 asleep over a tick of once a day: the run comes when it wakes, not hours later', async () => {
    const worker = startWorking({ schedule: '0 3 * * *' })
    await pass(10 * hour)
    sleepOver(9 * hour)
    await pass(6 * second)
    expect(worker.began).toHaveLength(2)
    await pass(day)
    expect(worker.began[2]).toBe('2026-03-12T03:00:00.000Z')
    worker.stop()
  })

  test('O6 clock set back a day: the schedule goes on by the new clock, without a pause or a burst', async () => {
    const worker = startWorking()
    await pass(minute)
    sleepOver(-day)
    await pass(40 * minute)
    expect(worker.began.slice(1)).toEqual([
      '2026-03-09T12:15:00.000Z',
      '2026-03-09T12:30:00.000Z',
      '2026-03-09T12:45:00.000Z',
    ])
    worker.stop()
  })
})

describe('a process too busy to notice ticks in time', () => {
  const ticksOf = (worker: ReturnType<typeof startWorking>, start: string) =>
    worker.log
      .filter(({ message }) => message.startsWith(start))
      .map(({ fields }) => String(Object(fields).tick))

  test('O4 busy between runs: one run makes up for all ticks that were missed', async () => {
    const worker = startWorking({ schedule: '* * * * * *' })
    await pass(500)
    keepBusy(3300)
    await pass(600)
    expect(worker.began).toEqual(['2026-03-10T12:04:30.000Z', '2026-03-10T12:04:34.300Z'])
    expect(ticksOf(worker, 'a tick was missed')).toEqual(['2026-03-10T12:04:31.000Z'])
    worker.stop()
    await worker.ended
  })

  test('O3 busy with a run itself: its ticks are dropped, and none is made up for', async () => {
    const worker = startWorking({
      schedule: '* * * * * *',
      run: async (number) => {
        if (number === 1) keepBusy(3300)
        return goodRun
      },
    })
    await pass(1100)
    expect(ticksOf(worker, 'a tick was missed')).toEqual([])
    expect(ticksOf(worker, 'a tick was skipped')).toEqual([
      '2026-03-10T12:04:31.000Z',
      '2026-03-10T12:04:32.000Z',
      '2026-03-10T12:04:33.000Z',
    ])
    worker.stop()
    await worker.ended
  })
})

describe('a failed run', () => {
  test.each([
    new UnreachableError('the service is away'),
    new DatabaseError('the database is away'),
    new AccountLockedError('run 7 holds the account'),
    new TypeError('a fault of ours'),
  ])('does not end the worker: $name', async (error) => {
    const worker = startWorking({
      run: async (number) => {
        if (number === 1) throw error
        return goodRun
      },
    })
    await pass(11 * minute)
    expect(worker.began).toHaveLength(2)
    expect(worker.log.filter(({ level }) => level === 'error' || level === 'warn')).toHaveLength(1)
    worker.stop()
    await worker.ended
  })

  test('is only a warning when another run holds the account', async () => {
    const worker = startWorking({
      run: async () => {
        throw new AccountLockedError('run 7 holds the account')
      },
    })
    await pass(second)
    expect(worker.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'run 7 holds the account' }),
    )
    worker.stop()
  })

  test.each([
    new AuthenticationError('the key is refused'),
    new ConfigurationError(['a setting is wrong']),
    new AccountMismatchError('another account'),
    new UsageError('nothing at this address'),
  ])('ends the worker when no later one could be better: $name', async (error) => {
    const worker = startWorking({
      run: async () => {
        throw error
      },
    })
    await expect(worker.ended).rejects.toBe(error)
    expect(vi.getTimerCount()).toBe(0)
  })

  /** Good, then this error, then good again. */
  const goodBeforeAndAfter = (error: Error) =>
    startWorking({
      run: async (number) => {
        if (number === 2) throw error
        return goodRun
      },
    })

  test('H3 404 between two good runs: a service that is being deployed does not end the worker', async () => {
    const worker = goodBeforeAndAfter(new UsageError('nothing at this address'))
    await pass(26 * minute)
    expect(worker.began).toHaveLength(3)
    expect(worker.log).toContainEqual({
      level: 'error',
      message: 'nothing at this address',
      fields: { code: 'usage' },
    })
    worker.stop()
    await expect(worker.ended).resolves.toBeUndefined()
  })

  test.each([
    new AuthenticationError('the key is refused'),
    new ConfigurationError(['a setting is wrong']),
    new AccountMismatchError('another account'),
  ])('after a good run still ends the worker: $name', async (error) => {
    const worker = goodBeforeAndAfter(error)
    await pass(11 * minute)
    await expect(worker.ended).rejects.toBe(error)
  })
})

describe('told to stop', () => {
  test('O2 SIGTERM: waits for the run under way and resolves, whatever that run says', async () => {
    const stopped = Promise.withResolvers<typeof goodRun>()
    const worker = startWorking({ run: () => stopped.promise })
    await pass(second)
    worker.stop()
    stopped.reject(new InterruptedError('interrupted by SIGTERM'))
    await expect(worker.ended).resolves.toBeUndefined()
    expect(worker.log.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('O2 SIGTERM: does not wait for a run that hangs longer than 6.5 s', async () => {
    const worker = startWorking({ run: () => new Promise(() => {}) })
    await pass(second)
    worker.stop()
    await pass(6 * second)
    const ended = vi.fn()
    void worker.ended.then(ended)
    expect(ended).not.toHaveBeenCalled()
    await pass(second)
    expect(ended).toHaveBeenCalled()
    expect(worker.log.at(-1)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('did not end in time'),
    })
  })
})

test.each(['61 * * * *', 'every day', '0 0 30 2 *', '0 0 L-29 2 *', ''])(
  'O7 a schedule that cannot be used is refused before anything runs: %j',
  async (schedule) => {
    const worker = startWorking({ schedule })
    await expect(worker.ended).rejects.toThrow(ConfigurationError)
    await expect(worker.ended).rejects.toThrow(/write one like "\*\/15 \* \* \* \*"/)
    expect(worker.began).toEqual([])
  },
)
