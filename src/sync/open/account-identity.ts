import { AccountMismatchError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { readEvents, type Identity } from '../../load/stored-identity.ts'
import type { StoredAccount, StoredIdentity } from './find-account.ts'
import type { ListState } from '../../load/state/sync-state.ts'
import type { ReadContext, RunContext } from '../run-context.ts'

/** What is compared to tell two accounts apart: by a run, and by `verify`. */
export type IdentityContext = Pick<ReadContext, 'mirror' | 'stats'>

/** With fewer events to come than these, the past ones say more of an account than these few. */
const MIN_UPCOMING = 3

/**
 * Makes sure that the mirror was built from this account: two accounts must not be poured into one. When something
 * says that it may be another one, at least half of the mirror's events must still be listed.
 *
 * @throws AccountMismatchError when fewer are, and the user did not ask to adopt the mirror.
 */
export async function verifyAccountIdentity(
  run: RunContext,
  identity: Identity,
  listed: readonly string[],
): Promise<void> {
  const { adopt } = run.settings
  const { identity: known } = run.mirror.account
  const isOther = await compareIdentity(run, identity, listed, {
    adopt,
    consequence: 'The mirror goes on with the new one.',
  })
  // An empty event list tells no account from another. Its missing events are for the deletion guard.
  // guard: nobody in the list
  if (listed.length === 0 && known.base_url !== null && !adopt) return
  const { email, base_url, key_sha256 } = identity
  if (known.email === email && known.base_url === base_url && known.key_sha256 === key_sha256) return
  await run.mirror.write((trx) => run.mirror.load.saveIdentity(trx, run.mirror.account.id, identity, isOther))
  // guard: another answers
  if (isOther)
    run.initial.states = new Map([...run.initial.states].map(([id, state]) => [id, withoutValidators(state)]))
}

/** The state as `load.saveIdentity` leaves it for another account. */
function withoutValidators(state: ListState): ListState {
  const unread = { etag: null, next_check_at: null, poll_interval_s: null, backfill_id: null }
  return { ...state, ...unread, /* guard: absences of another account */ unconfirmed_absences: [] }
}

interface ComparisonOptions {
  /** Whether the user asked to adopt the mirror. */
  readonly adopt: boolean
  /** What becomes of the mirror when the account changed and is believed, as a sentence of the warning. */
  readonly consequence: string
}

/**
 * Compares who the service says we are with what the mirror was built from; warns when that changed.
 *
 * @returns whether the mirror was built from another account or address than now.
 * @throws AccountMismatchError, as `verifyAccountIdentity`.
 */
export async function compareIdentity(
  run: IdentityContext,
  identity: Identity,
  listed: readonly string[],
  { adopt, consequence }: ComparisonOptions,
): Promise<boolean> {
  const change = describeChange(run.mirror.account.identity, identity)
  if (change === null) return false
  if (listed.length === 0 && !adopt) {
    run.stats.warn(
      `This may be another account: ${change}. It lists no event, so that the mirror is not taken over.`,
    )
    return false
  }
  // guard: another account
  if (!adopt) await requireSameEvents(run, change, listed)
  run.stats.warn(`The account changed: ${change}. ${consequence}`)
  return true
}

/** Whether something says that this may be another account than the mirror's, so that its event list decides. */
export function mayBeOther(account: StoredAccount, identity: Identity): boolean {
  return describeChange(account.identity, identity) !== null
}

/** What says that this may be another account, in words; null when nothing does or nothing is known yet. */
function describeChange(known: StoredIdentity, now: Identity): string | null {
  const changes = []
  if (known.base_url !== null && known.base_url !== now.base_url) {
    changes.push(`the base address was ${known.base_url} and is ${now.base_url}`)
  }
  if (
    /* guard: e-mail that is gone */ known.email !== null &&
    known.email.toLowerCase() !== now.email?.toLowerCase()
  ) {
    const is = now.email === null ? ', and the service names none any more' : ` and is ${now.email}`
    changes.push(`the e-mail was ${known.email}${is}`)
  }
  // Whoever has an e-mail may have a new key.
  // guard: key for an e-mail
  if (known.email === null && known.key_sha256 !== null && known.key_sha256 !== now.key_sha256) {
    changes.push('the key is another one, and the service had named no e-mail')
  }
  return changes.length === 0 ? null : changes.join(', ')
}

/** @throws AccountMismatchError unless at least half of the mirror's events are listed; those to come, if there are enough. */
async function requireSameEvents(
  { mirror: { account, database } }: IdentityContext,
  change: string,
  listed: readonly string[],
): Promise<void> {
  const live = await readEvents(database.kysely, account.id)
  const ahead = live.filter(({ is_past }) => !is_past)
  const known = ahead.length < MIN_UPCOMING ? live : ahead
  const ids = new Set(listed)
  const shared = known.filter(({ id }) => ids.has(id)).length
  // guard: half of the events
  if (2 * shared >= known.length) return
  throw new AccountMismatchError(
    `The mirror of account "${account.name}" seems to be of another account: ${change}, and of its ` +
      `${known.length} events${known === ahead ? ' that are not past' : ''} ${shared} ${shared === 1 ? 'is' : 'are'} listed, which is less than half. ` +
      'Nothing was written. Check the key and the base address, choose another name with ' +
      `${optionName('account')}, or take this mirror over with ${optionName('adopt')}.`,
  )
}
