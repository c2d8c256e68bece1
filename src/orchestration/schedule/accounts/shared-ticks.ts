import { createTicks, type TickListener, type Ticks } from '../cron-ticks.ts'

/** Of one schedule so many ticks are computed at once: a computation takes 5 ms. */
const AHEAD = 8

/** The ticks of one account; another schedule may take the place of its own. */
export interface AccountTicks extends Ticks {
  /** @throws ConfigurationError when the schedule cannot be used; the former one goes on */
  change(schedule: string, timeZone: string): void
}

/**
 * The ticks of many accounts. Accounts with the same schedule and zone share one: the ticks of a schedule take some
 * milliseconds to make and to compute, and a thousand accounts have few schedules.
 */
export class SharedTicks implements Disposable {
  readonly #schedules = new Map<string, SharedSchedule>()

  /** @throws ConfigurationError when the schedule cannot be used */
  subscribe(schedule: string, timeZone: string): AccountTicks {
    let listener: TickListener | null = null
    let current: SharedSchedule | null = this.#join(schedule, timeZone)
    const leave = () => {
      if (listener !== null) current?.listeners.delete(listener)
      this.#release(current)
    }
    const listen = (next: TickListener) => {
      if (listener !== null) current?.listeners.delete(listener)
      listener = next
      current?.listeners.add(next)
    }
    return {
      next: (count) => current?.next(count) ?? [],
      listen,
      start: () => {},
      stop: () => {
        leave()
        current = null
      },
      change: (schedule, timeZone) => {
        const next = this.#join(schedule, timeZone)
        leave()
        current = next
        if (listener !== null) listen(listener)
      },
    }
  }

  /** After a change of the clock. */
  restart(): void {
    for (const schedule of this.#schedules.values()) schedule.restart()
  }

  [Symbol.dispose](): void {
    for (const schedule of this.#schedules.values()) schedule.stop()
    this.#schedules.clear()
  }

  #join(schedule: string, timeZone: string): SharedSchedule {
    const key = JSON.stringify([schedule, timeZone])
    const shared = this.#schedules.get(key) ?? new SharedSchedule(key, createTicks(schedule, timeZone))
    this.#schedules.set(key, shared)
    shared.users += 1
    return shared
  }

  #release(shared: SharedSchedule | null): void {
    if (shared === null) return
    shared.users -= 1
    if (shared.users > 0) return
    shared.stop()
    this.#schedules.delete(shared.key)
  }
}

class SharedSchedule {
  readonly key: string
  readonly listeners = new Set<TickListener>()
  users = 0
  readonly #ticks: Ticks
  #ahead: { readonly from: number; readonly ticks: readonly Date[] } = { from: Infinity, ticks: [] }

  constructor(key: string, ticks: Ticks) {
    this.key = key
    this.#ticks = ticks
    ticks.listen({
      // Nobody is waited for: each account sees by itself whether its run is still under way.
      tick: async (at) => this.#tell((listener) => void listener.tick(at)),
      overlapped: (at) => this.#tell((listener) => listener.overlapped(at)),
      missed: (at) => this.#tell((listener) => listener.missed(at)),
    })
    ticks.start()
  }

  next(count: number): readonly Date[] {
    const now = Date.now()
    const left = () => this.#ahead.ticks.filter((tick) => tick.getTime() > now)
    const isUsable = this.#ahead.from <= now && left().length >= count
    if (!isUsable) this.#ahead = { from: now, ticks: this.#ticks.next(Math.max(count, AHEAD)) }
    return left().slice(0, count)
  }

  restart(): void {
    this.#ahead = { from: Infinity, ticks: [] }
    this.#ticks.start()
  }

  stop(): void {
    this.#ticks.stop()
  }

  #tell(tell: (listener: TickListener) => void): void {
    for (const listener of this.listeners) tell(listener)
  }
}
