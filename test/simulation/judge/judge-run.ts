/** Whether a run did what it promises, told from the answers it got, how it ended and what the mirror holds. */
import { reliedOn, requireIdentity, verdictOf } from '../model/another-account.ts'
import { changedOf, countEnded, countOpen, countRows } from '../model/counts.ts'
import { isBroken } from '../engine/engine.ts'
import type { Broken } from '../engine/engine.ts'
import { isOrderOpen } from './batching.ts'
import { heardInTime, requireEarlyEnd } from './early-end.ts'
import { fatalExit } from '../model/fatal.ts'
import type { Fatal } from '../model/fatal.ts'
import { isAs, require, requireEqual, requireMirror, requireWhole } from './judge.ts'
import { endOf } from '../model/lists.ts'
import type { Seen } from './snapshot.ts'
import { requireManners } from './requests.ts'
import { unitOf } from '../model/mirror.ts'
import type { Mirror } from '../model/mirror.ts'
import { requireNotOnRecord, requireOnRecord, showFate, takeRecord } from './runs-on-record.ts'
import type { RunStep } from '../play/steps.ts'
import { predict } from '../model/predict.ts'
import type { Asked, Prediction } from '../model/predict.ts'
import type { Ended } from '../play/running.ts'
import type { Heard } from '../service/service.ts'
import { canonical } from '../account/items.ts'
import type { World } from '../play/world.ts'

/** A sign of life that could not be given is tried again, and ends no run. */
const BEAT_MS = 5000

export interface Ran {
  readonly step: RunStep
  readonly asked: Asked
  readonly ended: Ended
  /** The one that it asks with. */
  readonly key: string
  readonly heard: readonly Heard[]
  /** How the account moved on while it was read. */
  readonly moved: readonly string[]
  readonly broken: Broken
  readonly isInterrupted: boolean
  /** What it had heard when it was interrupted. */
  readonly heardBefore: readonly Heard[]
}

/** A run that could not take the account, or lost it, leaves everything as it is. */
export async function judgeRefused(world: World, { ended }: Ran, code = 'account_busy'): Promise<Seen> {
  requireEqual([ended.exit, ended.code], [9, code], 'a run that does not hold the account')
  const seen = await world.look()
  requireMirror(seen.mirror, world.mirror)
  requireEqual(seen.runs, world.runs, 'the runs on record')
  world.trace.push(`   exit ${ended.exit} ${ended.code}`)
  return seen
}

/** @returns the mirror as it was found */
export async function judgeRun(world: World, ran: Ran): Promise<Seen> {
  const { ended, broken } = ran
  const isTaken = world.stuck?.fate === 'seems_alive' && world.minute - world.stuck.since < 10
  if (isTaken && !isBroken(broken) && broken.conflict === 'none') return judgeRefused(world, ran)
  requireManners(world, ran)
  const seen = await world.look()
  const fatal = fatalExit(world, ran)
  const verdict = verdictOf(world, ran)
  const mayBreakOff = isBroken(broken) || ran.isInterrupted || fatal === 'refusals' || fatal === 'outage'
  const hasReport = ended.exit === 0 || ended.exit === 6 || ended.exit === 8
  const mayBeOfBeat = ended.ms >= BEAT_MS
  require(!broken.hasLostConnection ||
    !hasReport ||
    mayBeOfBeat, 'a run goes on although a connection was lost')
  if (mayBreakOff && !hasReport) judgeBrokenOff(world, ran, seen, fatal)
  else if (fatal !== null) judgeFatal(world, ran, seen, fatal)
  else judgeNormal(world, ran, seen)
  requireIdentity(world, verdict, ran, seen.identity, hasReport)
  await showFate(world)
  const { events, rows, held, rejected } = { ...ended.report }
  if (ran.moved.length > 0) world.trace.push(`   meanwhile: ${ran.moved.join(', ')}`)
  world.trace.push(
    `   exit ${ended.exit} ${ended.code ?? ended.report?.status} ${canonical({ events, rows, held, rejected })}`,
  )
  return seen
}

/** Dead, interrupted or refused in the middle: each event is wholly old or wholly new. */
function judgeBrokenOff(world: World, ran: Ran, seen: Seen, fatal: Fatal): void {
  const { ended, broken, isInterrupted } = ran
  const isOfDatabase = isBroken(broken)
  const ofService = fatal === 'outage' ? 4 : fatal === 'refusals' ? 3 : fatal === 'unknown_event' ? 2 : fatal
  const possible = isOfDatabase ? [5, 9, 143] : isInterrupted ? [143, 3, 4] : []
  // One that dies while it stores a fatal end still tells its cause.
  require(possible.includes(ended.exit) ||
    ended.exit === ofService, `a run that broke off ended with ${ended.exit} (${ended.code})`)
  const inTime = { ...ran, heard: heardInTime(world, ran) }
  const isListed = endOf(inTime.heard, 'events')?.end === 'answered'
  world.mirror = isListed
    ? requireEarlyEnd(world, inTime, seen, predictFor(world, inTime, seen))
    : requireWhole(seen.mirror, world.mirror, reliedOn(world, ran))
  takeRecord(world, ran, seen.runs)
}

function judgeFatal(world: World, ran: Ran, seen: Seen, fatal: NonNullable<Fatal>): void {
  requireEqual(ran.ended.exit, fatal === 'unknown_event' ? 2 : fatal, `a fatal cause (${ran.ended.code})`)
  requireMirror(seen.mirror, world.mirror)
  if (fatal === 'unknown_event') requireNotOnRecord(world, seen.runs)
  else requireOnRecord(world, ran, seen.runs, 'failed')
}

function judgeNormal(world: World, ran: Ran, seen: Seen): void {
  const { code, report } = ran.ended
  require(endOf(ran.heard, 'events')?.end === 'answered', `a run ended without an event list (${code})`)
  const prediction = predictFor(world, ran, seen)
  requireNormal(world, ran, prediction, seen.mirror)
  requireSignsReported(ran)
  world.mirror = isOrderOpen(world, ran, prediction)
    ? requireOneOrder(world, seen.mirror, prediction)
    : prediction.after
  requireOnRecord(world, ran, seen.runs, report?.status ?? 'none')
  requireEqual(seen.report, report, 'the report on record')
}

/** Whatever the order: each list that the brake may hold is held or let go, and no more are let go than may be. */
function requireOneOrder(world: World, seen: Mirror, prediction: Prediction): Mirror {
  const { after, readOnce, letGo, heldBack, allowed } = prediction
  const turnedOut = requireWhole(seen, world.mirror, after, readOnce, letGo, heldBack)
  const gone = [...letGo.keys()]
    .filter((id) => isAs(seen, letGo, id) && !isAs(seen, heldBack, id))
    .map((id) => unitOf(heldBack, id).responses.size - unitOf(letGo, id).responses.size)
  require(gone.reduce((sum, rows) => sum + rows, 0) <=
    allowed, `the brake let ${gone.join(' + ')} rows go, of ${allowed}`)
  return turnedOut
}

/** A backfill that begins with this run has its number. */
export function predictFor(
  world: World,
  { asked, heard, step, key }: Pick<Ran, 'asked' | 'heard' | 'step' | 'key'>,
  { runs }: Seen,
): Prediction {
  const isNew = asked.mode === 'backfill' && asked.named === null && asked.backfill === null
  const backfill = isNew ? (runs.at(-1)?.id ?? null) : asked.backfill
  const which = { now: world.minute, runNow: world.minute - world.clockAhead, run: runs.at(-1)?.id ?? 0 }
  return predict(reliedOn(world, { heard, step, key }), { ...asked, backfill }, heard, which)
}

/** A run that came to its end: the mirror is exactly what was predicted, and the report tells it truly. */
function requireNormal(world: World, ran: Ran, prediction: Prediction, seen: Mirror): void {
  const before = world.mirror
  const { ended, heard } = ran
  const { after, due, failed } = prediction
  const asked = new Set(heard.flatMap(({ subject }) => (subject.startsWith('/') ? subject.slice(1) : [])))
  requireEqual([...asked].toSorted(), [...due].toSorted(), 'the events that were read')
  const again = new Set(heard.map(({ subject }) => subject).filter((subject) => subject.startsWith('again')))
  const expected = [...prediction.again].map((id) => `again/${id}`)
  requireEqual(
    [...again].toSorted(),
    [...expected, ...(prediction.listsAgain ? ['again'] : [])].toSorted(),
    'the lists that were read a second time',
  )
  if (isOrderOpen(world, ran, prediction)) return
  requireMirror(seen, after)
  const open = countOpen(after, world.accepted)
  const status = failed.size > 0 ? 'partial' : open.rejected > 0 || open.held > 0 ? 'held' : 'succeeded'
  const report = ended.report
  requireEqual(
    ended.exit,
    { partial: 6, held: 8, succeeded: 0 }[status],
    `the end of the run (${ended.code}, ${canonical(report?.errors)})`,
  )
  requireEqual(report?.status, status, 'the status')
  const { listed, changed } = prediction
  requireEqual(
    report?.events,
    {
      listed,
      due: due.size,
      changed,
      unchanged: due.size - changed - failed.size - goneOf(ran, prediction),
      failed: failed.size,
    },
    'the events in the report',
  )
  const rows = countRows(before, prediction.readOnce, after)
  requireEqual(report?.rows, rows, 'the rows in the report')
  requireEqual(changedOf(rows), countEnded(before, seen), 'the rows in the report, as history tells them')
  const { rejected, held, unconfirmed, set_aside } = { ...report }
  requireEqual({ rejected, held, unconfirmed, set_aside }, open, 'the open matters in the report')
  requireEqual(
    report?.errors.map(({ event_id }) => event_id).toSorted(),
    [...failed].toSorted(),
    'the errors in the report',
  )
  requireEqual(report?.errors_total, failed.size, 'the number of errors')
}

/** Signs of more pages are reported by every run that sees them, also of a list that is as it was; and no others are. */
function requireSignsReported({ ended, heard }: Ran): void {
  const subjects = new Set(heard.map(({ subject }) => subject))
  const shown = [...subjects].flatMap((subject) => {
    const end = endOf(heard, subject)
    const id = /^(?:again)?\/(.*)$/s.exec(subject)?.[1]
    return id !== undefined && end?.end === 'answered' && end.sign === 'paging' ? [id] : []
  })
  const reported = (ended.report?.warnings ?? []).flatMap(
    (warning) => /^Event (.*): GET .*: the list may have more pages/s.exec(warning)?.[1] ?? [],
  )
  requireEqual(
    [...new Set(reported)].toSorted(),
    [...new Set(shown)].toSorted(),
    'the events whose lists are reported to have more pages',
  )
}

/** Events that were due, not found and no longer listed: neither changed nor unchanged, but gone. */
function goneOf({ heard }: Ran, { due, failed }: Prediction): number {
  return [...due].filter((id) => endOf(heard, `/${id}`)?.end === 'missing' && !failed.has(id)).length
}
