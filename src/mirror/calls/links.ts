import { UsageError } from '../../common/errors.ts'
import { linkFormats } from '../../common/schema/link-formats.ts'
import { resolveAccount } from '../accounts/resolve-account.ts'
import type { InstantInput } from '../instants/parse-instant.ts'
import { createLink, listLinks, type LinkContent } from '../keys/links.ts'
import { defineCall, defineAccountList } from './call.ts'
import { inputFields, type InputFields } from './input.ts'
import { futureInstant, readInstantInput } from './keys.ts'

export const linksCall = defineAccountList('links', listLinks)

export interface CreateLinkInput extends LinkContent {
  /** null: the one that is meant when none is named. */
  readonly account: string | null
  readonly label: string | null
  readonly expires: InstantInput | null
}

export interface CreatedToken {
  readonly id: number
  readonly token: string
  readonly account: string
  readonly expiresAt: string | null
}

export const createLinkCall = defineCall<CreateLinkInput, CreatedToken>({
  name: 'create-link',
  changes: true,
  readInput: (json) => {
    const fields = inputFields(json)
    const expires = fields.fieldsOrNull('expires')
    return {
      account: fields.textOrNull('account'),
      view: fields.text('view'),
      format: readFormat(fields),
      event_id: fields.textOrNull('event_id'),
      with_personal: fields.boolean('with_personal'),
      label: fields.textOrNull('label'),
      expires: expires && readInstantInput(expires),
    }
  },
  run: (database, { account: named, expires, ...content }) =>
    database.transaction(async (trx) => {
      const account = await resolveAccount(trx, named)
      const expiresAt = expires && (await futureInstant(trx, expires))
      const { id, token } = await createLink(trx, { ...content, account, expiresAt })
      return { id, token, account, expiresAt }
    }),
})

function readFormat(fields: InputFields): LinkContent['format'] {
  const format = linkFormats.find((known) => known === fields.text('format'))
  if (format === undefined)
    throw new UsageError(`The input "format" of a call must be one of ${linkFormats.join(', ')}.`)
  return format
}
