import { sql } from 'kysely'

/** Only an active key opens an account. */
export type KeyState = 'active' | 'expired' | 'revoked'

/** The state of a row `key` of api_keys by the clock of the database. */
export const keyState = sql<KeyState>`
  case when key.revoked_at is not null then 'revoked'
       when key.expires_at <= now() then 'expired'
       else 'active' end`
