/** Digests that go on where the last one to each recipient ended. */
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireAccount } from '../accounts/resolve-account.ts'
import { requireEvent } from '../answers/read-view.ts'
import { digestOf, isNews, readStanding } from '../answers/digest/digest-call.ts'
import type { AccountDigest, DigestMirror } from '../answers/digest/digest.ts'
import { readPeriods } from '../answers/digest/period.ts'
import { defineCall } from '../calls/call.ts'
import { accountFields, boolean, object, orNull, text, wordOf } from '../calls/input.ts'
import { requireNotHalfRemoved } from '../query/require-synced.ts'
import { settingsFields } from '../status/list-status.ts'
import {
  claimDelivery,
  ensureDeliveries,
  lockDeliveries,
  messageIdOf,
  recipientsField,
  type Claim,
  type DeliveryKey,
  type Message,
  type Pending,
  type StoredDelivery,
} from './claims.ts'
import { settleDeliveries, type DeliveryOutcome } from './settle.ts'

/** `all`: every recipient; `due`: without those whose next attempt is yet to come; `retries`: those alone to whom the last message did not go. */
const ATTEMPTS = ['all', 'due', 'retries'] as const
export type Attempts = (typeof ATTEMPTS)[number]

const readInput = object({
  ...accountFields,
  ...settingsFields,
  name: text,
  /** Of one event; null: of all. */
  event: orNull(text),
  recipients: recipientsField,
  attempts: wordOf(ATTEMPTS),
  /** Also when there is nothing new. */
  always: boolean,
})

export type PrepareDigestsInput = ReturnType<typeof readInput>

export interface DigestMessage extends Message {
  readonly digest: AccountDigest
}

/** What one recipient is to be told of one account. */
export interface PreparedDigest {
  readonly account: string
  readonly recipient_sha256: string
  /**
   * `claimed`: to be sent, and settled; `nothing_new`: not to be sent; `no_run`: no run has ended yet; `busy`: another process is
   * sending it; `waiting`: the next attempt is yet to come.
   */
  readonly state: 'claimed' | 'nothing_new' | 'no_run' | 'busy' | 'waiting'
  /** Of `waiting`. */
  readonly next_attempt_at: Timestamp | null
  /** Of one that is claimed. */
  readonly message: DigestMessage | null
}

export const prepareDigestsCall = defineCall({
  name: 'prepare-digests',
  changes: true,
  readInput,
  run: prepareDigests,
})

async function prepareDigests(
  database: Database,
  input: PrepareDigestsInput,
): Promise<readonly PreparedDigest[]> {
  await requireAccount(database, input.account)
  await requireNotHalfRemoved(database, input.account)
  const { event } = input
  if (event !== null)
    await database.transaction((trx) => requireEvent(trx, event, input.account, { orRemoved: true }), {
      readOnly: true,
    })
  const found = await database.transaction((trx) => claimAll(trx, input))
  const claimed = found.flatMap((one) => one.claimed ?? [])
  const settle = (some: readonly Claim[], outcome: DeliveryOutcome) =>
    database.transaction((trx) => settleDeliveries(trx, some, outcome, null))
  try {
    const messages = await database.transaction((trx) => readMessages(trx, claimed, event), {
      readOnly: true,
    })
    const dull = claimed.filter((one) => !isWorthSending(messages.get(one.id), input.always))
    if (dull.length > 0) await settle(dull, { kind: 'accepted', isSent: false })
    return found.map(({ claimed: own, prepared }) => {
      if (own === null) return prepared
      if (dull.includes(own)) return { ...prepared, state: 'nothing_new' }
      return { ...prepared, message: messages.get(own.id) ?? null }
    })
  } catch (error) {
    // Whoever tries again need not wait until the claims end by themselves.
    for (const mayBeAccepted of [true, false]) {
      const some = claimed.filter(({ stored }) => stored.is_pending === mayBeAccepted)
      await settle(some, { kind: 'released', mayBeAccepted }).catch(() => {})
    }
    throw error
  }
}

function isWorthSending(message: DigestMessage | undefined, always: boolean): boolean {
  return message !== undefined && (always || isNews(message.digest))
}

interface Claimed extends Claim {
  /** As it was before the claim. */
  readonly stored: StoredDelivery
  /** What it tells, also when it is told again. */
  readonly pending: Pending
}

interface Found {
  readonly prepared: PreparedDigest
  readonly claimed: Claimed | null
}

async function claimAll(trx: Transaction, input: PrepareDigestsInput): Promise<readonly Found[]> {
  const { account, name, event, recipients, attempts, maxStalenessMs, holdForMs } = input
  const key: DeliveryKey = { kind: 'digest', name, event }
  const isRetry = attempts === 'retries'
  const deliveries = await (isRetry ? lockDeliveries : ensureDeliveries)(trx, account, key, recipients)
  const lastRuns = new Map(
    (await readPeriods(trx, { run: 0 }, account)).map((period) => [period.account, period.until_run_id]),
  )
  const standings = new Map<string, DigestMirror | null>()
  const standingOf = async (account: string) => {
    const known = standings.get(account)
    if (known !== undefined) return known
    const standing = await readStanding(trx, { maxStalenessMs, holdForMs }, account)
    standings.set(account, standing)
    return standing
  }
  const found: Found[] = []
  for (const stored of deliveries) {
    const { account, recipient_sha256, next_attempt_at, pending_run_id } = stored
    if (isRetry && stored.failures === 0 && !stored.is_pending) continue
    // guard: the same digest again
    const until = pending_run_id ?? lastRuns.get(account) ?? null
    const state = deliveryState(stored, until, attempts)
    const next = state === 'waiting' ? next_attempt_at : null
    const prepared = { account, recipient_sha256, state, next_attempt_at: next, message: null }
    // guard: the same state of the mirror again
    const mirror = state === 'claimed' ? (stored.pending_mirror ?? (await standingOf(account))) : null
    if (until === null || mirror === null) found.push({ prepared, claimed: null })
    else {
      const pending = { run: until, mirror }
      const claim = await claimDelivery(trx, stored.id, pending)
      found.push({ prepared, claimed: { ...claim, stored, pending } })
    }
  }
  return found
}

function deliveryState(
  { is_claimed, is_waiting }: StoredDelivery,
  until: number | null,
  attempts: Attempts,
): PreparedDigest['state'] {
  if (until === null) return 'no_run'
  // guard: two senders of a digest
  if (is_claimed) return 'busy'
  return is_waiting && attempts !== 'all' ? 'waiting' : 'claimed'
}

/** By the number of the row. Recipients who are told the same share one reading of the views. */
async function readMessages(
  trx: Transaction,
  claimed: readonly Claimed[],
  event: string | null,
): Promise<ReadonlyMap<IntegerText, DigestMessage>> {
  const known = new Map<string, AccountDigest>()
  const messages = new Map<IntegerText, DigestMessage>()
  for (const { id, claim, stored, pending } of claimed) {
    const { account, failures, delivered_run_id: after } = stored
    const key = JSON.stringify([account, after, pending])
    const digest = known.get(key) ?? (await readDigest(trx, { account, after }, pending, event))
    if (digest === null) continue
    known.set(key, digest)
    const message_id = messageIdOf(stored, [after, pending.run])
    messages.set(id, { id, claim, message_id, failures, was_pending: stored.is_pending, digest })
  }
  return messages
}

/** @param after the last run that the recipient was told of; null before the first digest */
async function readDigest(
  trx: Transaction,
  { account, after }: { readonly account: string; readonly after: number | null },
  { run, mirror }: Pending,
  event: string | null,
): Promise<AccountDigest | null> {
  const [period] = await readPeriods(trx, { run: after ?? run }, account)
  if (period === undefined) return null
  const begins = after !== null && period.begins
  return digestOf(trx, { ...period, until_run_id: run, is_first: after === null, begins }, event, mirror)
}
