import { UnknownAccountError } from '../../common/errors.ts'
import type { CreateAccount } from '../../sync/open/find-account.ts'
import type { Context } from '../cli/context.ts'

interface Asking extends Pick<Context<unknown>, 'terminal' | 'signal'> {
  /** Of a long-running command: somebody watches only its start. */
  readonly mayAsk?: boolean
}

/**
 * Does the work, which may make a further account only when that is `wanted`. When it meets a name that the mirror does
 * not have, it asks on a terminal, and begins anew after a yes: until then it has written nothing.
 *
 * @throws UnknownAccountError
 */
export async function confirmingAccount<T>(
  { terminal, signal, mayAsk = true }: Asking,
  wanted: CreateAccount,
  work: (createAccount: CreateAccount) => Promise<T>,
): Promise<T> {
  try {
    return await work(wanted)
  } catch (error) {
    if (!(error instanceof UnknownAccountError)) throw error
    // Loaded only now: every run starts with this file.
    const { requireYes } = await import('./ask-about-account.ts')
    await requireYes(error, mayAsk ? terminal : null, signal)
    return work(true)
  }
}
