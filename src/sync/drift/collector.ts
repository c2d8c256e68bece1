import { ObservationCounter, textMetric } from '../../normalise/observe/observation-counter.ts'
import type { Metric } from '../../normalise/observe/observation-counter.ts'
import type { FetchedListFacts } from '../fetch/list-facts.ts'

const lists = {
  events: { header: textMetric('events', 'header'), sign: textMetric('events', 'sign') },
  responses: { header: textMetric('responses', 'header'), sign: textMetric('responses', 'sign') },
}

/**
 * What a run has seen of what the specification leaves open. Kept in memory and written once, when the run closes:
 * the rows are few and hot, and each batch would write them all again. A run that is killed loses its counts (the
 * lists that it stored are not parsed again until they change), never data; the values and fields in the rows that it
 * stored are seen by the next run that is closed.
 */
export class Observations {
  /** Of lists that were new or had changed, or that have no digest (something of them is held): these count again. */
  readonly fromChanged = new ObservationCounter()
  /** Of lists read again as they were: `backfill` parses them, every run the list of events. */
  readonly fromUnchanged = new ObservationCounter()
  readonly #dropped = new Map<string, Metric<string>>()

  /** Adds a list; call it when the list's rows are committed. */
  addList(name: keyof typeof lists, list: FetchedListFacts): void {
    const into = list.digestMatch === 'other' ? this.fromChanged : this.fromUnchanged
    into.add(list.observations)
    for (const header of list.hints) into.texts(lists[name].header).add(header, 1)
    if (list.incomplete !== null) into.texts(lists[name].sign).add(list.incomplete, 1)
  }

  /** Notes that a body was an object that looks like one page of a list. */
  addPagedObject(name: keyof typeof lists): void {
    this.fromChanged.texts(lists[name].sign).add('an object with keys of paging', 1)
  }

  /** Notes that no item of a list has a field any more that live rows had. */
  addDropped(item: 'event' | 'response', field: string): void {
    const path = field.startsWith('slots.') ? `slot.${field.slice('slots.'.length)}` : `${item}.${field}`
    const series = this.#dropped.get(path) ?? textMetric(path, 'gone')
    this.#dropped.set(path, series)
    this.fromChanged.texts(series).add('from every item of a list', 1)
  }
}
