import { isNews } from '../../../mirror/answers/digest/digest-call.ts'
import type { Digest } from '../../../mirror/answers/digest/digest.ts'
import { prepareDigestsCall, type PrepareDigestsInput } from '../../../mirror/deliveries/prepare-digests.ts'
import { settleDeliveriesCall, type DeliveryOutcome } from '../../../mirror/deliveries/settle.ts'
import type { RunCall } from '../deliver.ts'
import { recipientKey } from '../recipient.ts'

/**
 * Prints what changed since the last digest that was printed, and moves on when all of it was written.
 *
 * @returns whether another process is printing one of them
 * @throws what `write` throws: then it is printed again
 */
export async function printDigests(
  call: RunCall,
  options: Omit<PrepareDigestsInput, 'recipients' | 'attempts'>,
  write: (digest: Digest) => Promise<void>,
): Promise<boolean> {
  const recipients = [recipientKey('stdout')]
  const prepared = await call(prepareDigestsCall, { ...options, recipients, attempts: 'all' })
  const messages = prepared.flatMap(({ message }) => message ?? [])
  const claims = messages.map(({ id, claim }) => ({ id, claim }))
  const settleAll = async (outcome: DeliveryOutcome) => {
    if (claims.length > 0) await call(settleDeliveriesCall, { claims, outcome, notice: null })
  }
  const accounts = messages.map(({ digest }) => digest)
  try {
    await write({ accounts, is_news: accounts.some(isNews) })
  } catch (error) {
    await settleAll({ kind: 'released', mayBeAccepted: true })
    throw error
  }
  await settleAll({ kind: 'accepted', isSent: true })
  return prepared.some(({ state }) => state === 'busy')
}
