import { createTask, parse, type ScheduledTask, type TaskContext } from 'node-cron'
import { toError } from '../../common/abort.ts'
import { ConfigurationError } from '../../common/errors.ts'
import { instantOfWallClock, offsetMs, offsetAt, upcomingOffsets, type Offset } from './wall-clock.ts'

const HOURS_OF_A_DAY = 24
/** An offset's next ticks may belong to the other half of the year: look a few ahead. */
const LOOKAHEAD_TICKS = 3

/** The ticks of a schedule while the zone has this offset. */
interface OffsetClock {
  readonly offset: Offset
  readonly task: ScheduledTask
  readonly next: (count: number) => readonly Date[]
}

/** The ticks of a schedule. */
export interface Ticks {
  /** The next ticks after now, the earliest first. */
  next(count: number): readonly Date[]
  /** Sets the listener of all further ticks. */
  listen(listener: TickListener): void
  /** Starts, or restarts after a change of the clock. */
  start(): void
  /** Stops permanently. */
  stop(): void
}

export interface TickListener {
  /** A tick. The promise settles when the work of the tick has ended. */
  tick(at: Date): Promise<void>
  /** A tick during the work of an earlier one; `tick` is not called for it. */
  overlapped(at: Date): void
  /** A tick that this process noticed too late. */
  missed(at: Date): void
}

/**
 * A cron schedule by the wall clock of a time zone.
 *
 * node-cron skips the repeated hour in autumn and the missing hour in spring. So each UTC offset of the zone has its own
 * task, and only the ticks with the offset of that moment count. An hourly schedule also runs in the repeated hour. A
 * time of the day comes exactly once a day, later by the missing hour when it does not exist; together with another time
 * that comes at that moment.
 *
 * @throws ConfigurationError when the schedule is invalid or has no ticks
 */
export function createTicks(schedule: string, timeZone: string): Ticks {
  let listener: TickListener | null = null
  const isHourly = readHours(schedule) === HOURS_OF_A_DAY
  const isRight = (offset: Offset, at: number): boolean => {
    const current = offsetAt(timeZone, at)
    if (isHourly) return offset === current
    if (instantOfWallClock(timeZone, at + offsetMs(offset)) !== at) return false
    return (
      offset === current ||
      /* guard: ticks that come together */ !clocks.some(
        (one) => one.offset === current && one.task.match(new Date(at)),
      )
    )
  }
  const clockOf = (offset: Offset): OffsetClock => {
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
      offset,
      task,
      next: (count: number) => task.getNextRuns(count).filter((at) => isRight(offset, at.getTime())),
    }
  }
  const clocksNow = () => upcomingOffsets(timeZone, Date.now()).map(clockOf)
  let clocks: readonly OffsetClock[] = clocksNow()
  const stop = () => {
    for (const { task } of clocks) void task.destroy()
  }

  return {
    listen: (next) => {
      listener = next
    },
    next: (count) =>
      clocks
        .flatMap((clock) => clock.next(count + LOOKAHEAD_TICKS))
        .sort((a, b) => a.getTime() - b.getTime())
        .slice(0, count),
    start: () => {
      stop()
      // A machine without a battery begins in 1970, when the zone had other offsets.
      clocks = clocksNow()
      for (const { task } of clocks) void task.start()
    },
    stop,
  }
}

/** The number of hours of a day with ticks. */
function readHours(schedule: string): number {
  try {
    const { hour } = parse(schedule)
    // Some valid schedules have no ticks, such as the 30th of February.
    const task = createTask(schedule, () => undefined, { timezone: 'UTC' })
    task.getNextRuns(1)
    void task.destroy()
    return hour.length
  } catch (cause) {
    const reason = toError(cause).message
    throw new ConfigurationError([
      `the schedule ${JSON.stringify(schedule)} cannot be used (${reason}); write one like "*/15 * * * *"`,
    ])
  }
}

const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} }
