import { UnknownAccountError } from '../errors.ts'
import type { Context } from './context.ts'

/**
 * Does the work, which may make a further account only when that is `wanted`. When it meets a name that the mirror does
 * not have, it asks on a terminal, and begins anew after a yes: until then it has written nothing.
 *
 * @throws UnknownAccountError
 */
export async function confirmingAccount<T>(
  { terminal, signal }: Pick<Context<unknown>, 'terminal' | 'signal'>,
  wanted: boolean,
  work: (createAccount: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await work(wanted)
  } catch (error) {
    if (!(error instanceof UnknownAccountError)) throw error
    // Loaded only now: every run starts with this file.
    const { requireYes } = await import('./unknown-account.ts')
    await requireYes(error, terminal, signal)
    return work(true)
  }
}
