/** Sends what was claimed, and records what became of it. */
import pLimit from 'p-limit'
import type { Timestamp } from '../../common/schema/tables.ts'
import type { Call } from '../../mirror/calls/call.ts'
import type { Claim, RecipientKey } from '../../mirror/deliveries/claims.ts'
import {
  settleDeliveriesCall,
  type DeliveryOutcome,
  type NoticeReason,
} from '../../mirror/deliveries/settle.ts'
import { recipientKey, type Recipient } from './recipient.ts'
import { retryWait } from './send/back-off.ts'
import type { SendResult } from './send/result.ts'

/** How something is asked of the mirror: in this process, or by the one that has its folder open. */
export type RunCall = <Input, Output>(call: Call<Input, Output>, input: Input) => Promise<Output>

/** What became of one message. */
export interface Delivery {
  readonly account: string
  /** The recipient as it may be shown. */
  readonly recipient: string
  /**
   * `accepted`: the recipient's server has it; `failed`: it will be tried again at `next_attempt_at`, or when it is sent anew; the
   * others sent nothing: `nothing_new`; `no_run`: no run has ended yet; `busy`: another process is sending it; `waiting`: the next
   * attempt is yet to come.
   */
  readonly state: 'accepted' | 'failed' | 'nothing_new' | 'no_run' | 'busy' | 'waiting'
  readonly message_id: string | null
  /** Why it failed; null otherwise. */
  readonly error: string | null
  readonly next_attempt_at: Timestamp | null
}

/** One call after another: each may open a folder, which this process has open once at a time. */
export function oneAtATime(call: RunCall): RunCall {
  // guard: calls one at a time
  const limit = pLimit(1)
  return (asked, input) => limit(() => call(asked, input))
}

/** Messages on their way at once. */
const CONCURRENCY = 4

/** Does it for each, a few at once, in the order of the items. @param signal ends each of them, and all are waited for */
export async function forEachMessage<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const limit = pLimit(CONCURRENCY)
  const all = items.map((item) => limit(() => work(item)))
  try {
    return await Promise.all(all)
  } catch (error) {
    // The process may end with the first error, and others would wait for the claims that it left.
    // guard: claims of an ended delivery
    if (signal.aborted) await Promise.allSettled(all)
    throw error
  }
}

interface PreparedMessage {
  readonly recipient_sha256: string
  /** Of one that is claimed. */
  readonly message: (Claim & { readonly was_pending: boolean }) | null
}

/**
 * The same for each message that `prepare` has for one of the recipients.
 *
 * @throws the reason of the signal, after what was not begun was given back
 */
export async function forEachPrepared<Prepared extends PreparedMessage, Result>(
  call: RunCall,
  recipients: readonly Recipient[],
  prepare: (keys: readonly RecipientKey[]) => Promise<readonly Prepared[]>,
  work: (prepared: Prepared, recipient: Recipient) => Promise<Result>,
  signal: AbortSignal,
): Promise<readonly Result[]> {
  const byHash = new Map(recipients.map((recipient) => [recipientKey(recipient).sha256, recipient]))
  const prepared = await prepare(recipients.map(recipientKey))
  const left = new Set(prepared)
  const send = (one: Prepared) => {
    signal.throwIfAborted()
    left.delete(one)
    const recipient = byHash.get(one.recipient_sha256)
    if (recipient === undefined) throw new RangeError('The mirror names a recipient that nobody asked for.')
    return work(one, recipient)
  }
  try {
    return await forEachMessage(prepared, send, signal)
  } catch (error) {
    if (signal.aborted) await release(call, [...left])
    throw error
  }
}

/** All at once: a call for each would take longer than a process has that a signal ends. */
async function release(call: RunCall, unsent: readonly PreparedMessage[]): Promise<void> {
  for (const mayBeAccepted of [true, false]) {
    const claims = unsent
      .flatMap(({ message }) => message ?? [])
      .filter(({ was_pending }) => was_pending === mayBeAccepted)
      .map(({ id, claim }) => ({ id, claim }))
    const outcome: DeliveryOutcome = { kind: 'released', mayBeAccepted }
    if (claims.length > 0) await call(settleDeliveriesCall, { claims, outcome, notice: null })
  }
}

export interface ClaimedMessage extends Claim {
  readonly failures: number
  /** An earlier attempt may have been accepted. */
  readonly was_pending: boolean
  /** What a notice tells; null of a digest. */
  readonly notice: NoticeReason | null
}

/**
 * Sends a message that this process has claimed, and settles the claim: nothing of the database is open while the network is awaited.
 *
 * @throws what `call` throws; the reason of the signal, after the claim was released
 */
export async function deliver(
  call: RunCall,
  claimed: ClaimedMessage,
  send: () => Promise<SendResult>,
  signal: AbortSignal,
): Promise<Pick<Delivery, 'error' | 'next_attempt_at'> & { state: 'accepted' | 'failed' | 'busy' }> {
  const { id, claim, notice, was_pending } = claimed
  const settle = (outcome: DeliveryOutcome) =>
    call(settleDeliveriesCall, { claims: [{ id, claim }], outcome, notice })
  const { settled: isHeld } = await settle({ kind: 'begun' })
  // guard: claims that end before their turn
  if (!isHeld) return { state: 'busy', error: null, next_attempt_at: null }
  const result = await send()
  if (result.isAccepted) {
    // guard: cursor after acceptance
    await settle({ kind: 'accepted', isSent: true })
    return { state: 'accepted', error: null, next_attempt_at: null }
  }
  const { error } = result
  // guard: end of a doubt
  const isRefused = result.isPermanent && !result.mayBeAccepted
  // guard: doubt of an earlier attempt
  const mayBeAccepted = result.mayBeAccepted || (was_pending && !isRefused)
  if (signal.aborted) {
    await settle({ kind: 'released', mayBeAccepted })
    signal.throwIfAborted()
  }
  const retryInMs = retryWait(claimed.failures, result)
  const { next_attempt_at } = await settle({ kind: 'failed', error, retryInMs, mayBeAccepted })
  return { state: 'failed', error, next_attempt_at }
}
