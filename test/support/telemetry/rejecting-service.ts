import type { Account } from '../accounts/account.ts'
import { send } from '../http/fault-server.ts'

/** Answers with the account, but rejects the requests after the first so many, up to another number: a run then learns a pace. */
export function rejecting(account: Account, [after, before]: readonly [number, number]) {
  let asked = 0
  return send((request) => {
    asked += 1
    return asked > after && asked < before
      ? { status: 429, headers: { 'Retry-After': '0' } }
      : account.answer(request)
  })
}
