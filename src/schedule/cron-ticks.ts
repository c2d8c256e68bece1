import { createTask, parse, type TaskContext } from 'node-cron'
import { ConfigurationError } from '../common/errors.ts'
import { instantOfWallClock, offsetMs, offsetAt, upcomingOffsets, type Offset } from './wall-clock.ts'

const HOURS_OF_A_DAY = 24
/** An offset's next ticks may belong to the other half of the year: look a few ahead. */
const LOOKAHEAD_TICKS = 3

/** The moments of a schedule. */
export interface Ticks {
  /** The next ones after now, the earliest first. */
  next(count: number): readonly Date[]
  /** Whom ticks are told from now on. */
  listen(listener: TickListener): void
  /** Reckons the next tick from the clock as it is now, again when it had been started before. */
  start(): void
  /** For good. */
  stop(): void
}

export interface TickListener {
  /** A tick; the promise is settled when the work that it started is over. */
  tick(at: Date): Promise<void>
  /** A tick that came before the work of an earlier one was over; it is not told through `tick`. */
  overlapped(at: Date): void
  /** A tick whose moment passed without this process having had the time to notice. */
  missed(at: Date): void
}

/**
 * A schedule in cron's form, read off the wall clock of a time zone.
 *
 * node-cron leaves out the hour that is repeated in autumn and a time that does not exist in spring. So each offset
 * that the zone knows gets a clock of its own that is never changed, and of its ticks those count that are right by
 * the zone: a schedule for every hour goes on through the repeated hour; a time of the day comes exactly once a
 * day, later by the leap where the clock leaps over it.
 *
 * @throws ConfigurationError when the schedule cannot be read or never comes
 */
export function createTicks(schedule: string, timeZone: string): Ticks {
  let listener: TickListener | null = null
  const isHourly = readHours(schedule) === HOURS_OF_A_DAY
  const isRight = (offset: Offset, at: number) =>
    isHourly ? offsetAt(timeZone, at) === offset : instantOfWallClock(timeZone, at + offsetMs(offset)) === at
  const clocks = upcomingOffsets(timeZone, Date.now()).map((offset) => {
    const ifRight =
      <T>(tell: (at: Date) => T) =>
      ({ date }: TaskContext) =>
        isRight(offset, date.getTime()) ? tell(date) : undefined
    const tick = ifRight((at) => listener?.tick(at))
    const overlapped = ifRight((at) => listener?.overlapped(at))
    const missed = ifRight((at) => listener?.missed(at))
    const task = createTask(schedule, tick, { timezone: offset, noOverlap: true, logger: silent })
    task.on('execution:overlap', overlapped)
    task.on('execution:missed', missed)
    return {
      task,
      next: (count: number) => task.getNextRuns(count).filter((at) => isRight(offset, at.getTime())),
    }
  })

  return {
    listen: (told) => {
      listener = told
    },
    next: (count) =>
      clocks
        .flatMap((clock) => clock.next(count + LOOKAHEAD_TICKS))
        .sort((a, b) => a.getTime() - b.getTime())
        .slice(0, count),
    start: () => {
      for (const { task } of clocks) {
        void task.stop()
        void task.start()
      }
    },
    stop: () => {
      for (const { task } of clocks) void task.destroy()
    },
  }
}

/** In how many hours of its days the schedule comes. */
function readHours(schedule: string): number {
  try {
    const { hour } = parse(schedule)
    // Some that can be read never come, like the 29th day before the end of February.
    const task = createTask(schedule, () => undefined, { timezone: 'UTC' })
    task.getNextRuns(1)
    void task.destroy()
    return hour.length
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigurationError([
      `the schedule ${JSON.stringify(schedule)} cannot be used (${reason}); write one like "*/15 * * * *"`,
    ])
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} }
