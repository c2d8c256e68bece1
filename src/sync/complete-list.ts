import type { RejectItem } from '../db/tables.ts'
import type { Normalised } from '../normalise/list.ts'
import type { Observed } from '../normalise/observe/observed.ts'
import { NORMALISER_VERSION } from '../normalise/version.ts'
import type { ListPayload } from '../source/payloads.ts'
import type { ListReading } from '../source/reading.ts'
import { judgeDigest } from './digests.ts'
import type { DigestVerdict } from './digests.ts'
import { isContradicted } from './validators.ts'
import type { StoredValidator } from './validators.ts'

/** A list as the service answers it now, read whole and made into rows. */
export interface CompleteList<Row> {
  readonly rows: readonly Row[]
  readonly rejects: readonly RejectItem[]
  /** Items as sent. */
  readonly length: number
  /** Bytes of the body, all pages together. */
  readonly bytes: number
  readonly setAside: number
  /** Fields of the specification that at least one item carries. */
  readonly fields: ReadonlySet<string>
  /** There is a reject whose id cannot be read. */
  readonly unreadableId: boolean
  /** Signs that forbid deletions from this list. */
  readonly incomplete: 'paging' | 'no_end_mark' | null
  readonly digest: string
  readonly verdict: DigestVerdict
  /** The service's validator of this list; null when it has none that can be believed. */
  readonly etag: string | null
  readonly warnings: readonly string[]
  /** What its items show of what the specification leaves open. */
  readonly observed: Observed
  /** Names of its headers that hint at limits or paging. */
  readonly hints: readonly string[]
}

/**
 * `conceal` removes the key from what is kept of rejects: an item that is none may be an error that echoes it.
 *
 * @throws ContractError when the body is not a complete list.
 */
export async function completeList<Row>(
  reading: ListReading,
  normalise: (payload: ListPayload) => Normalised<Row>,
  stored: StoredValidator | undefined,
  conceal: (text: string) => string,
): Promise<CompleteList<Row>> {
  const payload = await reading.payload()
  const normalised = normalise(payload)
  const contradicted = isContradicted(reading, stored)
  return {
    ...normalised,
    rejects: normalised.rejects.map((reject) => ({ ...reject, payload: conceal(reject.payload) })),
    length: payload.items.length,
    bytes: reading.bytes,
    incomplete: reading.holds,
    digest: reading.digest(NORMALISER_VERSION),
    hints: reading.hints,
    verdict: judgeDigest(reading, stored),
    etag: contradicted ? null : reading.etag,
    warnings: [...reading.warnings, ...normalised.warnings, ...(contradicted ? [SAME_VALIDATOR] : [])],
  }
}

const SAME_VALIDATOR =
  'the list has changed although its ETag has not: changes may have gone unseen for up to 24 hours.'

/** Ids that the list has: those of its rows, and of rejects whose id can be read. */
export function presentIds<Row extends { readonly id: string }>(list: CompleteList<Row>): string[] {
  return [...list.rows.map(({ id }) => id), ...list.rejects.flatMap(({ id }) => id ?? [])]
}

/**
 * Fields that live rows carry and no item of the list does any more. An empty list says nothing of its fields,
 * and one without any slot says nothing of a slot's.
 */
export function goneFields<Row>(list: CompleteList<Row>, live: readonly string[]): string[] {
  if (list.rows.length === 0) return []
  const hasSlots = [...list.fields].some(isOfSlot)
  return live.filter((field) => !list.fields.has(field) && (hasSlots || !isOfSlot(field)))
}

function isOfSlot(field: string): boolean {
  return field.startsWith('slots.')
}
