import { sql, type RawBuilder } from 'kysely'

/**
 * SQL: a stored time is not of the future. After a clock that was ahead was set back, such a time would put messages off, or call a mirror fresh,
 * until then. The minute is for the clocks of two servers of a failover, and for what another transaction stored while this one waited for it:
 * `now()` is when this one began.
 */
export function notFuture(instant: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${instant} <= now() + interval '1 minute'`
}
