/** Digests that go on where the last one to each recipient ended. */
import { createHash } from 'node:crypto'
import type { IntegerText, Timestamp } from '../../common/schema/tables.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { requireAccount } from '../accounts/resolve-account.ts'
import { requireKnown } from '../answers/changes.ts'
import { isNews, readDigests } from '../answers/digest/digest-call.ts'
import type { AccountDigest } from '../answers/digest/digest.ts'
import { readPeriods } from '../answers/digest/period.ts'
import type { AccountInput } from '../answers/read-view.ts'
import { defineCall } from '../calls/call.ts'
import { inputFields, type InputFields } from '../calls/input.ts'
import type { MirrorSettings } from '../status/list-status.ts'
import {
  claimDelivery,
  ensureDeliveries,
  lockDeliveries,
  type Claim,
  type DeliveryKey,
  type RecipientKey,
  type StoredDelivery,
} from './claims.ts'
import { settleDelivery } from './settle.ts'

/** `all`: every recipient; `due`: without those whose next attempt is yet to come; `retries`: those alone to whom the last message did not go. */
export type Attempts = 'all' | 'due' | 'retries'

export interface PrepareDigestsInput extends AccountInput, MirrorSettings {
  readonly name: string
  /** Of one event; null: of all. */
  readonly event: string | null
  readonly recipients: readonly RecipientKey[]
  readonly attempts: Attempts
  /** Also when there is nothing new. */
  readonly always: boolean
}

export interface DigestMessage extends Claim {
  /** The same for the same recipient and the same runs, and for nothing else. */
  readonly message_id: string
  readonly failures: number
  /** An earlier attempt may have been accepted. */
  readonly was_pending: boolean
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

export const prepareDigestsCall = defineCall<PrepareDigestsInput, readonly PreparedDigest[]>({
  name: 'prepare-digests',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    return {
      account: fields.textOrNull('account'),
      name: fields.text('name'),
      event: fields.textOrNull('event'),
      recipients: readRecipients(fields),
      attempts: readAttempts(fields),
      always: fields.boolean('always'),
      maxStalenessMs: fields.number('maxStalenessMs'),
      holdForMs: fields.number('holdForMs'),
    }
  },
  run: prepareDigests,
})

async function prepareDigests(
  database: Database,
  input: PrepareDigestsInput,
): Promise<readonly PreparedDigest[]> {
  await requireAccount(database, input.account)
  const { event } = input
  if (event !== null)
    await database.transaction((trx) => requireKnown(trx, event, input.account), { readOnly: true })
  const found = await database.transaction((trx) => claimAll(trx, input))
  const claimed = found.flatMap((one) => one.claimed ?? [])
  try {
    const messages = await database.transaction((trx) => readMessages(trx, claimed, input), {
      readOnly: true,
    })
    const dull = claimed.filter((one) => !isWorthSending(messages.get(one.id), input.always))
    if (dull.length > 0) {
      await database.transaction(async (trx) => {
        for (const one of dull) await settleDelivery(trx, one, { kind: 'accepted', isSent: false }, null)
      })
    }
    return found.map(({ claimed: own, prepared }) => {
      if (own === null) return prepared
      const isDull = dull.includes(own)
      const message = isDull ? null : (messages.get(own.id) ?? null)
      return { ...prepared, state: isDull ? 'nothing_new' : 'claimed', message }
    })
  } catch (error) {
    // Whoever tries again need not wait until the claims end by themselves.
    await database
      .transaction(async (trx) => {
        for (const one of claimed)
          await settleDelivery(trx, one, { kind: 'released', mayBeAccepted: one.wasPending }, null)
      })
      .catch(() => {})
    throw error
  }
}

function isWorthSending(message: DigestMessage | undefined, always: boolean): boolean {
  return message !== undefined && (always || isNews(message.digest))
}

interface Claimed extends Claim, Pick<StoredDelivery, 'account' | 'message_key' | 'failures'> {
  /** The runs after this one are told; null: none was told yet. */
  readonly after: number | null
  readonly until: number
  readonly wasPending: boolean
}

interface Found {
  readonly prepared: PreparedDigest
  readonly claimed: Claimed | null
}

async function claimAll(trx: Transaction, input: PrepareDigestsInput): Promise<readonly Found[]> {
  const { account, name, event, recipients, attempts } = input
  const key: DeliveryKey = { kind: 'digest', name, event }
  if (attempts !== 'retries') await ensureDeliveries(trx, account, key, recipients)
  const lastRuns = new Map(
    (await readPeriods(trx, { run: 0 }, account)).map((period) => [period.account, period.until_run_id]),
  )
  const found: Found[] = []
  for (const stored of await lockDeliveries(trx, account, key, recipients)) {
    const { account, recipient_sha256, next_attempt_at, pending_run_id } = stored
    if (attempts === 'retries' && stored.failures === 0 && pending_run_id === null) continue
    // guard: the same digest again
    const until = pending_run_id ?? lastRuns.get(account) ?? null
    const state = stateOf(stored, until, attempts)
    const prepared = {
      account,
      recipient_sha256,
      state,
      next_attempt_at: state === 'waiting' ? next_attempt_at : null,
      message: null,
    }
    if (state !== 'claimed' || until === null) found.push({ prepared, claimed: null })
    else {
      const { message_key, failures, delivered_run_id: after } = stored
      const claim = await claimDelivery(trx, stored.id, until)
      const wasPending = pending_run_id !== null
      found.push({
        prepared,
        claimed: { ...claim, account, message_key, failures, after, until, wasPending },
      })
    }
  }
  return found
}

function stateOf(
  { is_claimed, is_waiting }: StoredDelivery,
  until: number | null,
  attempts: Attempts,
): PreparedDigest['state'] {
  if (until === null) return 'no_run'
  // guard: two senders of a digest
  if (is_claimed) return 'busy'
  return is_waiting && attempts !== 'all' ? 'waiting' : 'claimed'
}

/** By the number of the row. Recipients who are told of the same runs share one reading of the views. */
async function readMessages(
  trx: Transaction,
  claimed: readonly Claimed[],
  { event, maxStalenessMs, holdForMs }: PrepareDigestsInput,
): Promise<ReadonlyMap<IntegerText, DigestMessage>> {
  const known = new Map<string, AccountDigest>()
  const messages = new Map<IntegerText, DigestMessage>()
  for (const { id, claim, account, message_key, failures, after, until, wasPending } of claimed) {
    const key = JSON.stringify([account, after, until])
    if (!known.has(key)) {
      const periods = await readPeriods(trx, { run: after ?? until }, account)
      const bounded = periods.map((period) => ({
        ...period,
        until_run_id: until,
        is_first: after === null,
        begins: after !== null && period.begins,
      }))
      const [digest] = await readDigests(trx, bounded, event, { maxStalenessMs, holdForMs })
      if (digest !== undefined) known.set(key, digest)
    }
    const digest = known.get(key)
    const message_id = messageIdOf(message_key, [after, until])
    if (digest !== undefined)
      messages.set(id, { id, claim, message_id, failures, was_pending: wasPending, digest })
  }
  return messages
}

/** Derived, so that a message that is sent again has the same one. */
export function messageIdOf(messageKey: string, of: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([messageKey, ...of]))
    .digest('hex')
    .slice(0, 40)
}

export function readRecipients(fields: InputFields): readonly RecipientKey[] {
  return fields
    .objects('recipients')
    .map((recipient) => ({ sha256: recipient.text('sha256'), shown: recipient.text('shown') }))
}

function readAttempts(fields: InputFields): Attempts {
  const text = fields.text('attempts')
  return text === 'due' || text === 'retries' ? text : 'all'
}
