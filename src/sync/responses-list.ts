import type { Digits, RejectItem, ResponseItem } from '../db/tables.ts'
import { normaliseResponses } from '../normalise/responses.ts'
import type { ListReading } from '../source/reading.ts'
import { completeList, concealed } from './complete-list.ts'
import type { CompleteList } from './complete-list.ts'
import type { Around } from './large-responses.ts'
import type { StoredValidator } from './validators.ts'

/** The responses to one event as the service answers them now. */
export interface ResponsesList extends CompleteList {
  /** How many of its items cannot be stored. */
  readonly rejected: number
  /** Whether it has an item with this id, be it a row or a reject. */
  has(id: Digits): boolean
  /** The rows, piece by piece, sorted by id within a piece. Reads a large list anew. */
  rows(): AsyncGenerator<readonly ResponseItem[], void>
  rejects(): AsyncIterable<readonly RejectItem[]>
}

/** One that is held in memory. */
export interface ListInMemory extends ResponsesList {
  readonly inMemory: readonly ResponseItem[]
}

/**
 * Makes rows of a list that the source holds in memory; one that it does not is read through by large-responses.ts.
 *
 * @throws ContractError when the body is not a complete list.
 */
export async function listInMemory(
  reading: ListReading,
  stored: StoredValidator | undefined,
  { conceal }: Pick<Around, 'conceal'>,
): Promise<ListInMemory> {
  const { rows, rejects, ...facts } = normaliseResponses(await reading.payload())
  let ids: ReadonlySet<Digits> | null = null
  const idsOf = () => new Set([...rows.map(({ id }) => id), ...rejects.flatMap(({ id }) => id ?? [])])
  return {
    ...completeList(reading, facts, rows.length, stored),
    inMemory: rows,
    rejected: rejects.length,
    has: (id) => (ids ??= idsOf()).has(id),
    rows: () => onePiece(rows),
    rejects: () => onePiece(concealed(rejects, conceal)),
  }
}

async function* onePiece<T>(items: readonly T[]): AsyncGenerator<readonly T[], void> {
  if (items.length > 0) yield items
}
