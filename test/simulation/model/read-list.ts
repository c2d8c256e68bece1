/** What one list that was read makes of its event. */
import { absencesOf } from './absences.ts'
import { nextStep } from './due.ts'
import { isMuch, rule } from './deletion-guard.ts'
import type { Circumstances } from './deletion-guard.ts'
import type { ListRead } from './lists.ts'
import { isSame, unknownList, withoutResponses, withRows } from './mirror.ts'
import type { Facts, Unit } from './mirror.ts'
import type { EventRow, ResponseRow } from '../account/items.ts'

/** "Not modified": the responses stay as they are, whatever became of the event's own record. */
export function leave(
  unit: Unit,
  record: EventRow,
  { now, run }: { readonly now: number; readonly run: number },
): Unit {
  const facts = unit.facts ?? unknownList
  const step = nextStep(record, facts.step, !isSame(unit.record, record))
  return {
    ...withRows(unit, record, []),
    facts: {
      ...facts,
      checkedAt: now,
      checkedBy: run,
      failing: false,
      refused: false,
      unanswered: false,
      step,
    },
  }
}

export function apply(
  unit: Unit,
  record: EventRow,
  read: ListRead<ResponseRow>,
  around: Circumstances & { readonly run: number; readonly isOneOfMost: boolean },
) {
  const kept = new Set([...read.rows.keys(), ...read.rejectedIds])
  const absent = [...unit.responses.keys()].filter((id) => !kept.has(id))
  const { sure, unsure } = absencesOf(absent, read, unit.facts)
  const ruling = rule(
    {
      absent: sure,
      rows: sure.length,
      isMuch: isMuch(sure.length, unit.responses.size),
      live: unit.responses.size,
      lengths: [read.length],
      hasNamelessReject: read.hasNamelessReject,
      sign: read.sign,
      held: unit.facts?.held ?? new Map(),
      isEventsList: false,
      isOneOfMost: around.isOneOfMost,
    },
    around,
  )
  const { now, run } = around
  const next = withoutResponses(withRows(unit, record, read.rows.values()), ruling.remove, run)
  // Rows are live that the list lacks.
  const isHeld = ruling.held.size > 0 || unsure.length > 0
  const known = unit.facts
  // A validator that came with two different lists is worth nothing.
  const isContradicted =
    known !== null && known.body !== null && known.etag === read.etag && known.body !== read.body
  const isUsable = !isHeld && !isContradicted && read.sign === null
  const facts: Facts = {
    ...unknownList,
    checkedAt: now,
    checkedBy: run,
    readAt: now,
    asides: read.asides,
    etag: isUsable ? read.etag : null,
    body: isHeld ? null : read.body,
    sent: isHeld || read.sign === 'paging' ? null : read.sent,
    held: ruling.held,
    unconfirmed: new Set(unsure),
  }
  return { ...ruling, unit: { ...next, rejects: read.rejects, facts } }
}

export function isOther(one: Unit, other: Unit): boolean {
  const plain = ({ record, responses }: Unit) => [record, Object.fromEntries(responses)]
  return !isSame(plain(one), plain(other))
}
