import type { Transaction } from '../../db/transaction.ts'
import { UsageError } from '../../common/errors.ts'
import { optionName } from '../../common/options/option-names.ts'
import { createKey, listKeys, revoke, type RevokedKey } from '../keys/keys.ts'
import { resolveInstant } from '../instants/resolve-instant.ts'
import { resolveAccount, requireAccount } from '../accounts/resolve-account.ts'
import type { InstantInput } from '../instants/parse-instant.ts'
import { defineCall, defineAccountList } from './call.ts'
import { inputFields, type InputFields } from './input.ts'

export const keysCall = defineAccountList('keys', listKeys)

export interface CreateKeyInput {
  /** null: the one that is meant when none is named. */
  readonly account: string | null
  readonly label: string | null
  readonly expires: InstantInput | null
}

export interface CreatedKey {
  readonly id: number
  readonly key: string
  readonly account: string
  readonly expiresAt: string | null
}

export const createKeyCall = defineCall<CreateKeyInput, CreatedKey>({
  name: 'create-key',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    const expires = fields.fieldsOrNull('expires')
    return {
      account: fields.textOrNull('account'),
      label: fields.textOrNull('label'),
      expires: expires && readInstantInput(expires),
    }
  },
  run: (database, { account: named, label, expires }) =>
    database.transaction(async (trx) => {
      const account = await resolveAccount(trx, named)
      const expiresAt = expires && (await futureInstant(trx, expires))
      const { id, key } = await createKey(trx, { account, label, expiresAt })
      return { id, key, account, expiresAt }
    }),
})

interface RevokeInput {
  readonly id: number
  /** Only when it is of this account; null: of any. */
  readonly account: string | null
}

export const revokeKeyCall = revokeCall('revoke-key', 'api_keys')
export const revokeLinkCall = revokeCall('revoke-link', 'links')

function revokeCall(name: string, table: 'api_keys' | 'links') {
  return defineCall<RevokeInput, RevokedKey>({
    name,
    changes: true,
    readInput: (json) => {
      const fields = inputFields(json)
      return { id: fields.number('id'), account: fields.textOrNull('account') }
    },
    run: (database, { id, account }) =>
      database.transaction(async (trx) => {
        await requireAccount(trx, account)
        return revoke(trx, table, id, account)
      }),
  })
}

export function readInstantInput(fields: InputFields): InstantInput {
  return fields.has('at') ? { at: fields.text('at') } : { msFromNow: fields.number('msFromNow') }
}

/** @throws UsageError when the moment is past. */
export async function futureInstant(trx: Transaction, moment: InstantInput): Promise<string> {
  const { instant, now, is_past } = await resolveInstant(trx, moment)
  if (!is_past) return instant
  throw new UsageError(
    `${optionName('expiresAt')} ${instant} is past: the clock of the database says ${now}. Name a moment to come: ` +
      'a date (midnight in UTC), an instant like 2030-01-01T12:00:00Z, or a time from now like 90d.',
  )
}
