/** Plays one run of the program against the service, whatever happens to it, and judges how it ended. */
import type { RunOptions } from '../../../src/index.ts'
import { newResponse } from '../account/account.ts'
import type { Account } from '../account/account.ts'
import { chanceOf } from '../account/chance.ts'
import { drawEvent } from '../account/draw-items.ts'
import { ownKeys, otherKey, wrongKey, canary } from '../service/keys.ts'
import { requireIdentity, verdictOf } from '../model/another-account.ts'
import { judgeRun, judgeRefused } from '../judge/judge-run.ts'
import type { Ran } from '../judge/judge-run.ts'
import { require, requireEqual } from '../judge/judge.ts'
import { unfinished } from '../judge/runs-on-record.ts'
import type { Seen } from '../judge/snapshot.ts'
import type { RunStep, Target } from './steps.ts'
import { plainRun } from './steps.ts'
import { runOnce, withChance } from './running.ts'
import type { Episode, Heard, Subject, Trouble } from '../service/service.ts'
import { standsStill } from '../judge/wait-until-stored.ts'
import type { UnderWay } from '../judge/wait-until-stored.ts'
import { idOf } from '../account/items.ts'
import type { World } from './world.ts'

/** @returns the mirror as the last look found it */
export async function playRun(world: World, step: RunStep): Promise<Seen> {
  return withChance(step.seed, async () => {
    if (step.beside === 'none') return judgeRun(world, await begin(world, step, {}))
    return playBeside(world, step)
  })
}

/** Two runs at once: the first stands still at some request while the second tries, or takes over. */
async function playBeside(world: World, step: RunStep): Promise<Seen> {
  const subject = subjectOf(world.owner, step.beginBeside)
  const reached = Promise.withResolvers<UnderWay>()
  const released = Promise.withResolvers<void>()
  // Items of the account quote the first key, which only the run that has it can take out of them.
  const takesOver = step.beside === 'takes_over'
  const first = begin(world, step, {
    ...(takesOver && { key: ownKeys[1] }),
    onRequest: async (asked, run) => {
      if (asked !== subject) return
      reached.resolve(run)
      await released.promise
    },
  })
  const underWay = await Promise.race([reached.promise, first.then(() => null)])
  const known = world.runs.length
  if (underWay === null) {
    const seen = await judgeRun(world, await first)
    if (takesOver) noteSecondKey(world, seen.runs.slice(known))
    return seen
  }
  const { runs: formerRuns, stuck, mirror: formerMirror, identity: formerIdentity } = world
  const verdict = verdictOf(world, underWay)
  const { mirror, seen } = await standsStill(world, underWay)
  const { runs, identity } = seen
  world.mirror = mirror
  requireIdentity(world, verdict, underWay, identity, false)
  requireEqual(runs.at(-1)?.status, 'running', 'the run that stands still')
  if (takesOver) {
    await world.pass(10)
    noteSecondKey(world, runs.slice(known))
  }
  world.runs = [...runs]
  world.stuck = takesOver ? { since: world.minute - 10, fate: 'seems_alive' } : null
  const second = await begin(
    world,
    { ...plainRun, seed: step.seed },
    { ...(!takesOver && { key: ownKeys[1] }) },
  )
  if (takesOver) await judgeRun(world, second)
  else {
    await judgeRefused(world, second)
    Object.assign(world, { runs: formerRuns, stuck, mirror: formerMirror, identity: formerIdentity })
  }
  released.resolve()
  if (takesOver) return judgeRefused(world, await first, 'lease_lost')
  return judgeRun(world, await first)
}

function noteSecondKey({ runsOfSecondKey }: World, runs: Seen['runs']): void {
  for (const { id } of runs) runsOfSecondKey.add(id)
}

interface Around {
  readonly key?: string
  readonly onRequest?: (subject: Subject, run: UnderWay) => void | Promise<void>
}

async function begin(world: World, step: RunStep, around: Around): Promise<Ran> {
  const { owner, other, stage } = world
  // Another account may only be told from this one by what is in the mirror of this one.
  const isOther =
    step.key === 'other' && !step.adopt && [...world.mirror.values()].some(({ record }) => record !== null)
  const account = isOther ? withEventsOf(owner, other, step.seed) : owner
  const key = step.key === 'wrong' ? wrongKey : isOther ? otherKey : (around.key ?? ownKeys[0])
  const interrupt = new AbortController()
  const interruptAt = step.interruptAt === null ? null : subjectOf(account, step.interruptAt)
  const heard: Heard[] = []
  let heardBefore: readonly Heard[] = heard
  const episode: Episode = {
    account,
    troubles: troublesOf(account, step),
    refusedFrom: step.refusedFrom === null ? null : subjectOf(account, step.refusedFrom),
    onRequest: async (subject) => {
      if (subject === interruptAt && !interrupt.signal.aborted) {
        heardBefore = [...heard]
        interrupt.abort()
      }
      await around.onRequest?.(subject, { step, asked, key, heard: [...heard], beganMs })
    },
    heard,
    moved: [],
  }
  if (step.key !== 'wrong') stage.service.episodes.set(key, episode)
  const named = step.named === null ? null : step.named.flatMap((place) => eventAt(account, place) ?? [])
  await using lent = stage.engine.forRun(step.breakage)
  const isSilent = step.troubles.some(({ failures }) => failures.includes('silence'))
  const options: RunOptions = {
    ...lent.option,
    apiKey: key,
    baseUrl: stage.service.baseUrl,
    concurrency: step.concurrency,
    ...(step.chunkBytes !== null && { inMemoryBytes: 1, chunkBytes: step.chunkBytes }),
    ...(step.batchRows !== null && { batchRows: step.batchRows }),
    // Without any patience the rule needs no clock: the last of so many failures ends the run.
    outage: step.isPatient ? { maxSilenceMs: 600_000, askEveryMs: 0 } : { maxSilenceMs: 0 },
    requestTimeoutMs: isSilent ? 1000 : 30_000,
    all: step.all,
    acceptDeletions: step.accept,
    adopt: step.adopt,
    restart: step.restart,
    signal: interrupt.signal,
    ...(named !== null && named.length > 0 && { events: named }),
  }
  const isWhole = step.mode === 'backfill' && options.events === undefined
  const asked = {
    mode: step.mode,
    all: step.all,
    accept: step.accept,
    named: options.events ?? null,
    backfill: isWhole && !step.restart ? unfinished(world) : null,
  }
  const beganMs = performance.now()
  const ended = await runOnce(step.mode, options)
  stage.service.episodes.delete(key)
  require(!ended.said.includes(canary), 'the run said the key')
  const { broken } = lent
  const isInterrupted = interrupt.signal.aborted
  return { step, asked, ended, key, heard, heardBefore, moved: episode.moved, broken, isInterrupted }
}

/** Another account, which may have ids of events in common with this one, and be one that names no e-mail. */
function withEventsOf(owner: Account, other: Account, seed: number): Account {
  const chance = chanceOf(seed)
  const ids = owner.events.flatMap(({ item }) => (chance.odds(0.3) ? (idOf(item) ?? []) : []))
  const shared = ids.map((id) => ({
    item: drawEvent(chance, id),
    responses: [newResponse(other, chance), newResponse(other, chance)],
  }))
  const events = [...other.events, ...shared]
  return { ...other, email: chance.odds(0.3) ? null : other.email, events: chance.odds(0.1) ? [] : events }
}

function troublesOf(account: Account, { troubles }: RunStep): ReadonlyMap<Subject, Trouble> {
  return new Map(
    troubles.map(({ on, failures, way, lie, moves, shift }) => {
      const byAttempt = new Map(failures.map((failure, place) => [place + 1, failure]))
      return [subjectOf(account, on), { failures: byAttempt, way, lie, moves, shift }]
    }),
  )
}

function subjectOf(account: Account, target: Target): Subject {
  if (typeof target === 'number') return `/${eventAt(account, target) ?? ''}`
  if (target === 'ping' || target === 'events' || target === 'again') return target
  return `again/${eventAt(account, Number(target.slice('again/'.length))) ?? ''}`
}

/** The id of the event at this place among those whose id can be read, counted round. */
function eventAt({ events }: Account, place: number): string | null {
  const ids = events.flatMap(({ item }) => idOf(item) ?? [])
  return ids[place % ids.length] ?? null
}
