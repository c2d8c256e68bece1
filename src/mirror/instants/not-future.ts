import { sql, type RawBuilder } from 'kysely'

/**
 * SQL: a stored time is not of the future. After a clock that was ahead was set back, such a time would silence or vouch until then. Two servers
 * of a failover differ by less than a minute, and so does what another transaction stored while this one, whose start `now()` is, waited for it.
 */
export function notFuture(instant: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${instant} <= now() + interval '1 minute'`
}
