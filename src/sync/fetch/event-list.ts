import type { EventItem, RejectItem } from '../../common/schema/tables.ts'
import type { FetchedListFacts } from './list-facts.ts'

/** The list of events. It is in memory whole, however long: a run needs all of it at once. */
export interface EventList extends FetchedListFacts {
  readonly rows: readonly EventItem[]
  readonly rejects: readonly RejectItem[]
  /** Ids of its rows, and of rejects whose id can be read. */
  readonly ids: readonly string[]
}

/** Who the service says we are, where, and by which key. */
export interface Identity {
  readonly email: string | null
  readonly base_url: string
  /** SHA-256 in hexadecimal digits. */
  readonly key_sha256: string
}

/** The first two responses of the service. */
export interface FirstResponses {
  readonly identity: Identity
  readonly list: EventList
}
