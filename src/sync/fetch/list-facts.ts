import type { RejectItem, StoredReject } from '../../common/schema/tables.ts'
import type { ListSummary } from '../../normalise/list/list-summary.ts'
import { withoutLeftOutText } from '../../normalise/items/field-rules.ts'
import type { PrivacyOptions } from '../../normalise/items/response-writer.ts'
import { MAX_PAYLOAD_BYTES } from '../../common/schema/items.ts'
import type { ListSuppressions } from '../../normalise/suppression/suppressions.ts'
import { NORMALISER_VERSION } from '../../normalise/version.ts'
import type { FetchedList } from '../../source/fetched-list.ts'
import {
  compareDigest,
  type DigestMatch,
  etagContradictsContent,
  type StoredValidator,
} from './change-detection.ts'

/** A list as the service answers it now, read whole: what is known of it beside its rows. */
export interface FetchedListFacts extends ListSummary {
  /** Rows that it has. */
  readonly count: number
  /** In how many it came. */
  readonly pages: number
  /** Bytes of the body, all pages together. */
  readonly bytes: number
  /** Signs that forbid deletions from this list. */
  readonly incomplete: 'paging' | 'no_end_mark' | null
  readonly digest: string
  readonly digestMatch: DigestMatch
  /** The service's validator of this list; null when it has none that can be believed. */
  readonly etag: string | null
  /** Names of its headers that hint at limits or paging. */
  readonly hints: readonly string[]
}

/** @param facts what came of the items of this reading: it was read through. */
export function describeList(
  reading: FetchedList,
  facts: ListSummary,
  count: number,
  stored: StoredValidator | undefined,
): FetchedListFacts {
  const contradicted = etagContradictsContent(reading, stored)
  return {
    ...facts,
    count,
    pages: reading.pages,
    bytes: reading.bytes,
    incomplete: reading.incompleteReason,
    digest: reading.digest(NORMALISER_VERSION),
    hints: reading.notableHeaders,
    digestMatch: compareDigest(reading, stored),
    etag: contradicted ? null : reading.etag,
    warnings: [...reading.warnings, ...facts.warnings, ...(contradicted ? [SAME_VALIDATOR] : [])],
  }
}

const SAME_VALIDATOR =
  'the list has changed although its ETag has not: changes may have gone unseen for up to 24 hours.'

/**
 * Removes the key from what is kept of rejects: an item that is none may be an error that echoes it. Those of the event list
 * hold no personal data of others. Nothing of the text is kept where
 * personal data are forgotten, or where it is of an erased person; of the rest no field that is left out.
 */
export function redactRejects(
  rejects: readonly RejectItem[],
  {
    redact,
    withoutPersonal = false,
    suppressed = null,
    rules = null,
  }: { readonly redact: (text: string) => string } & Partial<PrivacyOptions>,
): readonly StoredReject[] {
  // What is cut off of a long item may name somebody.
  // guard: rejects of erased persons
  const isOf = (one: ListSuppressions, { id, payload, bytes }: RejectItem) =>
    bytes > MAX_PAYLOAD_BYTES || (id !== null && one.hasResponse(id)) || one.mentions(payload)
  const isHidden = (reject: RejectItem) =>
    withoutPersonal || (suppressed !== null && isOf(suppressed, reject))
  const redacted = (payload: string) => {
    const left = rules === null ? payload : withoutLeftOutText(payload, rules)
    return left === null ? null : /* guard: key in rejects */ redact(left)
  }
  return rejects.map((reject) => ({ ...reject, payload: isHidden(reject) ? null : redacted(reject.payload) }))
}

/**
 * Fields that live rows carry and no item of the list does any more. An empty list says nothing of its fields,
 * and one without any slot says nothing of a slot's.
 */
export function droppedFields(
  list: Pick<FetchedListFacts, 'count' | 'fields'>,
  live: readonly string[],
): string[] {
  if (list.count === 0) return []
  const hasSlots = [...list.fields].some(isOfSlot)
  return live.filter((field) => !list.fields.has(field) && (hasSlots || !isOfSlot(field)))
}

function isOfSlot(field: string): boolean {
  return field.startsWith('slots.')
}
