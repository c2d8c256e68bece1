/** Draws one run: mostly clean, otherwise with one kind of trouble. */
import type { Chance } from '../account/chance.ts'
import { lies } from '../service/faults.ts'
import type { Failure, Way } from '../service/faults.ts'
import { plainRun } from './steps.ts'
import type { PlannedTrouble, RunStep, Target } from './steps.ts'

type Draw = (chance: Chance) => Partial<RunStep>

/** How often each kind of run comes, and what it is. */
const kinds = {
  clean: [6, (chance) => ({ concurrency: chance.pick([1, 8]) })],
  retried: [2, (chance) => ({ troubles: retried(chance) })],
  /** Costs a second of real time. */
  silent: [0.05, (chance) => ({ troubles: [{ ...quiet, on: target(chance), failures: ['silence'] }] })],
  lying: [2.5, (chance) => ({ concurrency: chance.pick([1, 8]), troubles: several(chance, lying) })],
  /** One of two lists of events is flawed: the second is asked for because of an event that is not found. */
  lookedAgain: [1.5, (chance) => ({ all: chance.odds(0.5), troubles: lookedAgain(chance) })],
  failing: [2, (chance) => ({ concurrency: chance.pick([1, 8]), troubles: several(chance, failing) })],
  fatal: [1, (chance) => ({ troubles: [fatal(chance)] })],
  down: [0.4, () => ({ troubles: everything('s500') })],
  goesAway: [1.5, (chance) => ({ isPatient: chance.odds(0.3), troubles: goesAway(chance) })],
  dying: [
    3,
    (chance) => ({
      breakage: { at: chance.int(1, 45), how: chance.odds(0.7) ? 'dies' : 'dies_after_commit' },
    }),
  ],
  conflict: [0.7, (chance) => ({ breakage: { at: chance.int(8, 40), how: 'conflict' } })],
  /** A run opens more than one connection only while it writes in two places. */
  lostConnection: [
    0.7,
    (chance) => ({
      concurrency: chance.pick([1, 8]),
      breakage: { at: chance.pick([1, 2, 2, 2, 3, 3]), how: 'ends_when_ready' },
    }),
  ],
  refused: [0.4, () => ({ beside: 'refused', beginBeside: 'ping' })],
  takeover: [0.6, (chance) => ({ beside: 'takes_over', beginBeside: target(chance) })],
  wrongKey: [0.4, () => ({ key: 'wrong' })],
  otherKey: [0.3, () => ({ key: 'other' })],
  interrupted: [0.6, (chance) => ({ interruptAt: target(chance) })],
  revoked: [0.3, (chance) => ({ refusedFrom: chance.int(0, 5) })],
  moving: [1, (chance) => ({ troubles: several(chance, moving) })],
  emptied: [0.7, (chance) => ({ concurrency: chance.pick([1, 8]), troubles: manyEmpty(chance) })],
  /** Every list comes in pages, some change between two of them, and some second readings fail. */
  paged: [
    4,
    (chance) => ({
      all: chance.odds(0.5),
      concurrency: chance.pick([1, 8]),
      troubles: inPages(chance),
      ...(chance.odds(0.15) && { interruptAt: secondReading(chance) }),
      ...(chance.odds(0.15) && { breakage: { at: chance.int(1, 60), how: 'dies' as const } }),
    }),
  ],
  named: [1, (chance) => ({ named: Array.from({ length: chance.int(1, 2) }, () => chance.int(0, 9)) })],
} satisfies Record<string, readonly [number, Draw]>

type Kind = keyof typeof kinds
const names = Object.keys(kinds) as Kind[]
const weights = Object.fromEntries(names.map((name) => [name, kinds[name][0]])) as Record<Kind, number>

/** Every list of responses is answered without an item. */
export function drawEmptyRun(chance: Chance): RunStep {
  const troubles = everyList({ ...quiet, lie: 'nothing' })
  const mode = chance.odds(0.2) ? 'backfill' : 'sync'
  return { ...plainRun, seed: chance.seed(), mode, concurrency: chance.pick([1, 8]), troubles }
}

export function drawRun(chance: Chance): RunStep {
  const base: RunStep = {
    ...plainRun,
    seed: chance.seed(),
    mode: chance.odds(0.25) ? 'backfill' : 'sync',
    all: chance.odds(0.2),
    accept: chance.odds(0.15),
    adopt: chance.odds(0.05),
    restart: chance.odds(0.2),
    fate: chance.weigh({ seen_dead: 6, seems_alive: 2, goes_on: 2 }),
  }
  const draw: Draw = kinds[chance.weigh(weights)][1]
  const run = { ...base, ...draw(chance) }
  return {
    ...run,
    chunkBytes: chance.odds(0.35) ? chance.int(1, 1500) : null,
    batchRows: batchRows[chance.weigh({ full: 4, one: 3, few: 3 })](chance),
  }
}

/** The program's own size takes all that a simulated account has; one row is a batch for each event. */
const batchRows = {
  full: () => null,
  one: () => 1,
  few: (chance: Chance) => chance.int(2, 30),
}

const quiet = { failures: [], way: 'plain', lie: 'none', moves: null, shift: null } as const

const ways: Readonly<Record<Way, number>> = {
  plain: 5,
  chunked: 1,
  slices: 1,
  pages: 1,
  noEndMark: 1.5,
  moreItems: 1,
  oddLink: 0.7,
}

/** What passes when it is asked for again. */
const passing = {
  reset: 1,
  close: 1,
  cut: 2,
  noLastChunk: 1,
  halfUntilClose: 1,
  resetInBody: 0.2,
  s500: 1,
  s503: 1,
  s503soon: 0.7,
  s429: 0.5,
  s429soon: 0.5,
  s429later: 0.02,
}
const final = {
  s401: 2,
  s403: 0.5,
  s404: 3,
  s410: 1,
  s400: 1,
  html: 1,
  object: 1,
  empty: 1,
  corrupt: 1,
  truncated: 1,
  partial: 1,
}
const finalOnPing = {
  s401: 1,
  s403: 1,
  s404: 1,
  s410: 1,
  s400: 1,
  html: 1,
  empty: 1,
  truncated: 1,
  partial: 1,
}

function target(chance: Chance): Target {
  return chance.pick<Target>(['ping', 'events', chance.int(0, 20), chance.int(0, 20)])
}

function several(chance: Chance, make: (chance: Chance) => PlannedTrouble): readonly PlannedTrouble[] {
  return Array.from({ length: chance.int(1, 3) }, () => make(chance))
}

function lying(chance: Chance): PlannedTrouble {
  const on = chance.odds(0.35) ? 'events' : chance.int(0, 20)
  return { ...quiet, on, way: chance.weigh(ways), lie: chance.odds(0.7) ? chance.pick(lies) : 'none' }
}

function lookedAgain(chance: Chance): readonly PlannedTrouble[] {
  const notFound = { ...quiet, on: chance.int(0, 2), failures: [chance.pick(['s404', 's410'] as const)] }
  const lie = () => chance.pick(['none', 'half', 'without_last', 'without_last'] as const)
  const flawed = (on: Target) => ({ ...quiet, on, way: chance.weigh(ways), lie: lie() })
  const which = chance.pick<readonly Target[]>([['events'], ['events'], ['again'], ['events', 'again']])
  return [notFound, ...which.map(flawed)]
}

function failing(chance: Chance): PlannedTrouble {
  const on = chance.odds(0.1) ? 'again' : chance.int(0, 20)
  return { ...quiet, on, failures: [chance.weigh(final)] }
}

function secondReading(chance: Chance): Target {
  return chance.odds(0.3) ? 'again' : `again/${chance.int(0, 15)}`
}

function inPages(chance: Chance): readonly PlannedTrouble[] {
  const places = Array.from({ length: 16 }, (_, place) => place)
  const shift = () => [chance.pick(['forward', 'forward', 'back'] as const), chance.seed()] as const
  const paged = (on: Target, odds: number): PlannedTrouble => ({
    ...quiet,
    on,
    way: 'pages',
    shift: chance.odds(odds) ? shift() : null,
  })
  const failing = (on: Target): PlannedTrouble => ({ ...quiet, on, failures: [chance.weigh(final)] })
  const again = (on: Target) => (chance.odds(0.15) ? failing(on) : paged(on, 0.15))
  return [
    paged('events', 0.3),
    ...places.map((place) => paged(place, 0.2)),
    again('again'),
    ...places.map((place) => again(`again/${place}`)),
  ]
}

function moving(chance: Chance): PlannedTrouble {
  return { ...quiet, on: target(chance), moves: chance.seed() }
}

/** No more than a run may retry for certain: three in all, two of one request. */
function retried(chance: Chance): readonly PlannedTrouble[] {
  const one = () => chance.weigh(passing)
  if (chance.odds(0.3)) return [{ ...quiet, on: target(chance), failures: [one(), one()] }]
  return several(chance, () => ({ ...quiet, on: target(chance), failures: [one()] }))
}

/** More tries than a request is given. */
const TRIES = 10

function fatal(chance: Chance): PlannedTrouble {
  const on = chance.pick(['ping', 'events'] as const)
  if (chance.odds(0.5)) return { ...quiet, on, failures: [chance.weigh(finalOnPing)] }
  const failure = chance.weigh({ s500: 1, reset: 1, cut: 1 })
  return { ...quiet, on, failures: Array<Failure>(TRIES).fill(failure) }
}

/** From some list on nothing is answered, or hardly anything. */
function goesAway(chance: Chance): readonly PlannedTrouble[] {
  const from = chance.int(0, 12)
  const some = everything(chance.weigh({ s500: 2, reset: 1, cut: 1 })).slice(from)
  return some.filter(() => chance.odds(0.85))
}

function everything(failure: Failure): readonly PlannedTrouble[] {
  return everyList({ ...quiet, failures: Array<Failure>(TRIES).fill(failure) })
}

function everyList(trouble: Omit<PlannedTrouble, 'on'>): readonly PlannedTrouble[] {
  return Array.from({ length: 16 }, (_, on) => ({ ...trouble, on }))
}

/** Two lists of three are empty, more or less. */
function manyEmpty(chance: Chance): readonly PlannedTrouble[] {
  return everyList({ ...quiet, lie: 'nothing' }).filter(() => chance.odds(0.65))
}
