/** The points that the specification leaves open, what headcount does about each, and what an account shows of it. */
import { defineAccountList } from '../calls/call.ts'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Transaction } from '../../db/transaction.ts'
import { readFindings, type Finding } from './findings.ts'

export interface AccountObservations {
  readonly account: string
  /** When the first observation was made; null when there is none yet. */
  readonly observed_since: Timestamp | null
  readonly points: readonly ObservedPoint[]
}

/** Something that the specification leaves open, and what the service has shown of it. */
export interface ObservedPoint {
  readonly point: string
  readonly open: string
  /** What headcount does. */
  readonly handling: string
  readonly findings: readonly Finding[]
}

interface Point extends Omit<ObservedPoint, 'findings'> {
  /** Which findings belong to it. */
  readonly has: (finding: Finding) => boolean
}

/** @param account only this one; null for all. */
async function readAccountObservations(
  trx: Transaction,
  account: string | null,
): Promise<readonly AccountObservations[]> {
  const accounts = await trx.kysely
    .selectFrom('headcount.accounts')
    .select(['id', 'name'])
    .$if(account !== null, (query) => query.where('name', '=', account ?? ''))
    .orderBy('id')
    .execute()
  return Array.fromAsync(accounts, async ({ id, name }) => {
    const findings = await readFindings(trx, id)
    return {
      account: name,
      observed_since: findings.flatMap(({ first_seen_at }) => first_seen_at ?? []).toSorted()[0] ?? null,
      points: points.map(({ has, ...point }) => ({ ...point, findings: findings.filter(has) })),
    }
  })
}

export const observationsCall = defineAccountList('observations', readAccountObservations)

const pagingHeader =
  /^(?:link|content-range|total-count|x-(?:total|page|pagination|next|prev|per-page|cursor|has-more))/
const limitHeader = /^(?:retry-after|(?:x-)?rate-?limit)/
const refusals: ReadonlySet<string> = new Set(['425', '429', '503'])

const points: readonly Point[] = [
  {
    point: 'pagination',
    open: 'Is a list answered whole?',
    handling: 'A next page named by Link is read too; any other sign of more holds deletions back.',
    has: ({ fact, value }) => fact === 'sign' || (fact === 'header' && pagingHeader.test(value)),
  },
  {
    point: 'errors',
    open: 'Which statuses come, and when?',
    handling:
      '401 and 403: the key is refused. 404 and 410: the event list decides. 408, 425, 429, 5xx: tried again. ' +
      'The rest: the event fails, its rows stay.',
    has: ({ fact }) => fact === 'status',
  },
  {
    point: 'fields',
    open: 'Which fields are required, optional or null?',
    handling: 'Only ids are required; absent and null are both NULL.',
    has: ({ fact }) => fact === 'sent' || fact === 'empty' || fact === 'gone',
  },
  {
    point: 'rsvp',
    open: 'Which values has rsvp besides yes?',
    handling: 'Stored as they come.',
    has: ({ subject, fact }) => subject === 'response.rsvp' && fact === 'value',
  },
  {
    point: 'event_type',
    open: 'Which values has event_type besides rsvp?',
    handling: 'Stored as they come.',
    has: ({ subject, fact }) => subject === 'event.event_type' && fact === 'value',
  },
  {
    point: 'shapes',
    open: 'Which event type has which shape of response?',
    handling: "The shape is read off each response's own fields, never off its event.",
    has: ({ fact }) => fact === 'shape',
  },
  {
    point: 'limits',
    open: 'How many requests are allowed?',
    handling: 'The rate adapts: fewer requests at once after a rejection; Retry-After is obeyed.',
    has: ({ fact, value }) =>
      (fact === 'header' && limitHeader.test(value)) || (fact === 'status' && refusals.has(value)),
  },
  {
    point: 'ids',
    open: 'How far is the id of a response unique, and what do ids look like?',
    handling: 'Only that it is unique within its event is relied on.',
    has: ({ subject, fact }) => fact !== 'sent' && (subject === 'response.id' || subject === 'event.id'),
  },
  {
    point: 'order',
    open: 'How are lists ordered?',
    handling: 'No order is relied on.',
    has: ({ fact }) => fact === 'order',
  },
  {
    point: 'headers',
    open: 'Which headers come that tell of validators or caches?',
    handling: 'An ETag is used for at most a day after a full read; the others are not.',
    has: ({ fact, value }) => fact === 'header' && !pagingHeader.test(value) && !limitHeader.test(value),
  },
  {
    point: 'times',
    open: 'How are times written?',
    handling: 'RFC 3339 with Z or an offset is stored as the instant; anything else is set aside.',
    has: ({ fact }) => fact === 'time_form',
  },
  {
    point: 'beyond',
    open: 'What else comes that the specification does not name?',
    handling:
      'Unknown fields are kept in _extra; of a duplicate key the last value counts; numbers as text and amounts ' +
      'as numbers are read as the type of their column.',
    has: ({ subject, fact }) =>
      fact === 'unknown_field' ||
      fact === 'duplicate_key' ||
      fact === 'set_aside' ||
      (fact === 'sent_as' && !subject.endsWith('.id')),
  },
]
