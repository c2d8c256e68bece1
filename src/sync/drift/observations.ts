import type { Observation } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import type { Loader } from '../../load/loader.ts'
import { readObservations } from '../../load/state/observations.ts'
import type { FetchedListFacts } from '../fetch/list-facts.ts'
import { ObservationSet } from './observation-set.ts'
import { driftWarnings, firstSeen } from './warnings.ts'

/** Answers that say nothing of what the specification leaves open. */
const ORDINARY_STATUSES: ReadonlySet<string> = new Set(['200', '304'])

interface ObservationsOptions {
  readonly account: number
  readonly load: Pick<Loader, 'saveObservations'>
  /** Takes the API key out of a text. */
  readonly redact: (text: string) => string
}

/**
 * What a run sees of what the specification leaves open. The transaction that stores a list also stores, with count 0,
 * what the list shows and the account lacks. The last transaction of a run adds one to the count of each observation of
 * the run, and of each that is still at 0 because its run died, and warns of those that no run had counted.
 */
export class Observations {
  readonly #options: ObservationsOptions
  /** What the account has; null until somebody asks. */
  #stored: ObservationSet | null = null
  /** What finished runs have counted. */
  #counted: readonly Observation[] = []
  /** What this run will count. */
  readonly #seen = new ObservationSet()
  /** What belongs to no list that is stored. */
  readonly #notes: Observation[] = []

  constructor(options: ObservationsOptions) {
    this.#options = options
  }

  /** Notes what is stored when the run is finished. */
  note(observation: Observation): void {
    this.#notes.push(observation)
  }

  /**
   * Stores what is not stored yet, as the last statement of its transaction: another batch may wait for the same rows.
   *
   * @returns what to give to `committed` when the transaction is committed.
   */
  async store(trx: Transaction, observed: readonly Observation[]): Promise<readonly Observation[]> {
    const unseen = observed.filter((one) => !this.#seen.has(one))
    if (unseen.length === 0) return []
    const stored = await this.load(trx)
    const kept = this.#keep(stored, unseen)
    const added = kept.filter((one) => !stored.has(one))
    await this.#options.load.saveObservations(trx, this.#options.account, added, 0)
    return kept
  }

  committed(kept: readonly Observation[]): void {
    for (const one of kept) {
      this.#stored?.add(one)
      this.#seen.add(one)
    }
  }

  /**
   * Counts what the run saw, in the transaction that finishes the run.
   *
   * @param answers statuses by endpoint, like `responses 429`
   * @returns a warning for each thing that is new.
   */
  async finish(trx: Transaction, answers: Iterable<string>): Promise<readonly string[]> {
    for (const answer of answers) {
      const [path = '', value = ''] = answer.split(' ')
      if (!ORDINARY_STATUSES.has(value)) this.note({ path, kind: 'status', value })
    }
    this.committed(this.#keep(await this.load(trx), this.#notes))
    const seen = [...this.#seen]
    await this.#options.load.saveObservations(trx, this.#options.account, seen, 1)
    return driftWarnings(firstSeen(this.#counted, seen))
  }

  /** As what each is kept, each once. */
  #keep(stored: ObservationSet, observed: readonly Observation[]): readonly Observation[] {
    const all = new ObservationSet(stored)
    const redacted = (one: Observation) => ({
      ...one,
      /* guard: key in an observation */ value: this.#options.redact(one.value),
    })
    return [...new Set(observed.map((one) => all.add(stored.has(one) ? one : redacted(one))))]
  }

  /** Reads what the account has, once. A run asks early, while it waits for the service: nobody else writes them meanwhile. */
  async load(queries: Pick<Transaction, 'kysely'>): Promise<ObservationSet> {
    if (this.#stored !== null) return this.#stored
    const rows = await readObservations(queries, this.#options.account)
    this.#counted = rows.filter(({ count }) => /* guard: news of a run that died */ count > 0)
    for (const row of rows) if (row.count === 0) this.#seen.add(row)
    // Another batch may have asked at the same time.
    return (this.#stored ??= new ObservationSet(rows))
  }
}

/** What a list shows. One that is as it was when it was stored tells nothing new. */
export function observationsOf(name: 'events' | 'responses', list: FetchedListFacts): readonly Observation[] {
  if (list.digestMatch === 'same') return []
  const signs = list.incomplete === null ? [] : [list.incomplete]
  return [
    ...list.observations,
    ...list.hints.map((value): Observation => ({ path: name, kind: 'header', value })),
    ...signs.map((value): Observation => ({ path: name, kind: 'sign', value })),
  ]
}

/** A body was an object that looks like one page of a list. */
export function pagedObject(name: 'events' | 'responses'): Observation {
  return { path: name, kind: 'sign', value: 'an object with keys of paging' }
}

/** No item of a list has a field any more that live rows had. */
export function droppedField(item: 'event' | 'response', field: string): Observation {
  const path = field.startsWith('slots.') ? `slot.${field.slice('slots.'.length)}` : `${item}.${field}`
  return { path, kind: 'gone', value: 'from every item of a list' }
}
