import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readObserved } from '../../load/state/observations.ts'
import { knownToMirror, shownByRows, unclosedRuns } from '../../load/state/observations-from-rows.ts'
import { KNOWN_OF_EVENT, KNOWN_OF_RESPONSE } from '../../normalise/items/fields.ts'
import { Observed, textsOf } from '../../normalise/observe/observation-counter.ts'
import type { Series } from '../../normalise/observe/observation-counter.ts'
import { quotable } from '../../normalise/observe/safe-value.ts'
import type { CompleteList } from '../fetch/list-facts.ts'
import { newsLines, newsOf } from './warnings.ts'
import { keyOf, settleObservations } from './merge.ts'
import type { OpenRun } from '../open/run-context.ts'

const lists = {
  events: { header: textsOf('events', 'header'), sign: textsOf('events', 'sign') },
  responses: { header: textsOf('responses', 'header'), sign: textsOf('responses', 'sign') },
}

/** Answers that every run gets: they are noted the first time only, so that an unchanged run writes nothing. */
export const ORDINARY_STATUSES: ReadonlySet<string> = new Set(['200', '304'])

/**
 * What a run has seen of what the specification leaves open. Kept in memory and written once, when the run closes:
 * the rows are few and hot, and each batch would write them all again. A run that is killed loses its counts (the
 * lists that it stored are not parsed again until they change), never data; the values and fields in the rows that it
 * stored are seen by the next run that is closed.
 */
export class Observations {
  /** Of lists that were new or had changed, or that have no digest (something of them is held): these count again. */
  readonly fresh = new Observed()
  /** Of lists read again as they were: `backfill` parses them, every run the list of events. */
  readonly again = new Observed()
  readonly #gone = new Map<string, Series<string>>()

  /** Adds a list; call it when the list's rows are committed. */
  addList(name: keyof typeof lists, list: CompleteList): void {
    const into = list.verdict === 'other' ? this.fresh : this.again
    into.add(list.observed)
    for (const header of list.hints) into.texts(lists[name].header).add(header, 1)
    if (list.incomplete !== null) into.texts(lists[name].sign).add(list.incomplete, 1)
  }

  /** Notes that an answer was an object that looks like one page of a list. */
  addPagedObject(name: keyof typeof lists): void {
    this.fresh.texts(lists[name].sign).add('an object with keys of paging', 1)
  }

  /** Notes that no item of a list has a field any more that live rows had. */
  addGone(item: 'event' | 'response', field: string): void {
    const subject = field.startsWith('slots.') ? `slot.${field.slice('slots.'.length)}` : `${item}.${field}`
    const series = this.#gone.get(subject) ?? textsOf(subject, 'gone')
    this.#gone.set(subject, series)
    this.fresh.texts(series).add('from every item of a list', 1)
  }
}

/** Stores what the run has seen, and what runs before it stored and did not live to tell; warns of what is new. */
export async function storeObservations(trx: Transaction, run: OpenRun): Promise<void> {
  const { account, lease, observations } = run
  const known = await readObserved(trx, account.id)
  const unclosed = await unclosedRuns(trx, account.id, lease.runId)
  const concealed = (observation: Observation): Observation => ({
    ...observation,
    value: run.conceal(observation.value),
  })
  const statuses = statusesOf(run)
  const isOrdinary = ({ value }: Observation) => ORDINARY_STATUSES.has(value)
  const fresh = [...observations.fresh.tell(), ...statuses.filter((status) => !isOrdinary(status))]
  const again = [...observations.again.tell(), ...statuses.filter(isOrdinary)]
  const seen = new Set([...fresh, ...again].map(keyOf))
  const left = (await shownByRows(trx, account.id, unclosed)).map(quoted)
  const untold = left.filter((observation) => isOpen(observation) && !seen.has(keyOf(observation)))
  const { rows, added } = settleObservations(
    known,
    fresh.map(concealed),
    [...again, ...untold].map(concealed),
  )
  const news = newsOf(known, added)
  const old = new Set((await knownToMirror(trx, account.id, [lease.runId, ...unclosed], news)).map(keyOf))
  for (const line of newsLines(news.filter((observation) => !old.has(keyOf(observation)))))
    run.tally.warn(line)
  await run.load.observations(trx, account.id, rows)
}

function quoted(observation: Observation): Observation {
  return { ...observation, value: quotable(observation.value) }
}

/** A field that the specification names and that is kept in `_extra` was set aside. */
function isOpen({ subject, fact, value }: Observation): boolean {
  if (fact !== 'unknown_field') return true
  return !(subject === 'event' ? KNOWN_OF_EVENT : KNOWN_OF_RESPONSE).has(value)
}

function statusesOf({ source }: OpenRun): Observation[] {
  return [...source.counts.statuses].map(([answer, seen]) => {
    const [subject = '', value = ''] = answer.split(' ')
    return { subject, fact: 'status', value, seen }
  })
}
