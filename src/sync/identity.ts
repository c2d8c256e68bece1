import { AccountMismatchError } from '../errors.ts'
import type { ListState } from '../load/state.ts'
import type { OpenRun } from './opening.ts'
import type { Tally } from './report.ts'

/** Who the service says we are, and where. */
export interface Identity {
  readonly email: string | null
  readonly base_url: string
}

/** What is looked at to tell two accounts apart: by a run, and by `verify`. */
export type Identifying = Pick<OpenRun, 'account' | 'database'> & { readonly tally: Pick<Tally, 'warn'> }

/**
 * Makes sure that the mirror was built from this account: two accounts must not be poured into one. When the
 * address or the e-mail changed, a shared event id shows that it is still the same one.
 *
 * @throws AccountMismatchError when nothing is in common and the user did not ask to adopt the mirror.
 */
export async function confirmIdentity(
  run: OpenRun,
  identity: Identity,
  listed: readonly string[],
): Promise<void> {
  const { known, isOther } = await checkIdentity(run, identity, listed, run.settings.adopt)
  if (known.email === (identity.email ?? known.email) && known.base_url === identity.base_url) return
  await run.write((trx) => run.load.identity(trx, run.account.id, identity, isOther))
  if (isOther) run.states = new Map([...run.states].map(([id, state]) => [id, distrusted(state)]))
}

/** As `load.identity` leaves it. */
function distrusted(state: ListState): ListState {
  const unread = { etag: null, next_check_at: null, step: null, backfill_id: null }
  return { ...state, ...unread, unconfirmed_absences: [] }
}

/**
 * Compares who the service says we are with what the mirror was built from; warns when that changed.
 *
 * @returns what the mirror was built from, and whether that is another account or address than now.
 * @throws AccountMismatchError, as confirmIdentity.
 */
export async function checkIdentity(
  run: Identifying,
  identity: Identity,
  listed: readonly string[],
  adopt: boolean,
): Promise<{ readonly known: Known; readonly isOther: boolean }> {
  const known = await readIdentity(run)
  const change = describeChange(known, identity)
  if (change !== null && !adopt && !(await sharesAnEvent(run, listed))) {
    throw new AccountMismatchError(
      `The mirror of account "${run.account.name}" was built from another account: ${change}, and no event is in both. ` +
        'Nothing was written. Check the key and the base address, choose another name with --account, ' +
        'or take this mirror over with sync --adopt.',
    )
  }
  if (change !== null) run.tally.warn(`The account changed: ${change}. The mirror goes on with the new one.`)
  return { known, isOther: change !== null }
}

type Known = { readonly email: string | null; readonly base_url: string | null }

/** What the mirror was built from; nothing before the first run came this far. */
async function readIdentity(run: Identifying): Promise<Known> {
  const known = await run.database.kysely
    .selectFrom('headcount.accounts')
    .select(['email', 'base_url'])
    .where('id', '=', run.account.id)
    .executeTakeFirst()
  return known ?? { email: null, base_url: null }
}

/** What differs, in words; null when nothing does or nothing is known yet. No e-mail, no check of it. */
function describeChange(known: Known, now: Identity): string | null {
  const changes = []
  if (known.base_url !== null && known.base_url !== now.base_url) {
    changes.push(`the base address was ${known.base_url} and is ${now.base_url}`)
  }
  if (known.email !== null && now.email !== null && known.email.toLowerCase() !== now.email.toLowerCase()) {
    changes.push(`the e-mail was ${known.email} and is ${now.email}`)
  }
  return changes.length === 0 ? null : changes.join(', ')
}

/** Whether the list has an event of the mirror; an empty mirror has nothing to mix. */
async function sharesAnEvent(run: Identifying, listed: readonly string[]): Promise<boolean> {
  const live = await run.database.kysely
    .selectFrom('headcount.events')
    .select('id')
    .where('account_id', '=', run.account.id)
    .execute()
  const ids = new Set(listed)
  return live.length === 0 || live.some(({ id }) => ids.has(id))
}
