/** Whether the database has the connections that many runs at once want. */
import type { Database } from '../../../db/connect.ts'
import { CONNECTIONS_PER_RUN } from '../../../db/database.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'
import type { PoolConfig } from '../../../config/config.ts'
import { DATABASE, failed, ok, orFailure, warning, type CheckResult } from './check.ts'

export async function checkConnections(
  database: Database,
  { runs, connections }: PoolConfig,
  accounts: number,
): Promise<CheckResult> {
  if (database.engine === 'pglite')
    return ok(`PGlite has one connection: ${formatCount(accounts, 'account')} take turns`)
  const wanted = Math.min(connections ?? Infinity, runs * CONNECTIONS_PER_RUN)
  return orFailure(DATABASE, async () => {
    const limits = await readLimits(database)
    // guard: connections of the server
    if (limits.most < wanted)
      return failed(
        DATABASE,
        `${formatCount(runs, 'run')} at once want ${wanted} connections, and ${limits.what} allows ${limits.most}: lower --runs or --connections, or raise it`,
      )
    return judge(limits, wanted, { runs, connections }, accounts)
  })
}

function judge(
  { most, left }: Limits,
  wanted: number,
  { runs, connections }: PoolConfig,
  accounts: number,
): CheckResult {
  const carried = Math.floor(wanted / CONNECTIONS_PER_RUN)
  const turns = accounts > carried ? `; ${formatNumber(accounts)} accounts take turns` : ''
  if (carried < Math.min(runs, accounts))
    return warning(
      `${connections} connections carry ${formatCount(Math.max(1, carried), 'run')} at once, and ${formatNumber(runs)} are wanted${turns}: ` +
        `set --connections ${runs * CONNECTIONS_PER_RUN} (three for each run), or --runs ${Math.max(1, carried)}`,
    )
  if (left < wanted)
    return warning(
      `${wanted} connections are wanted, and ${formatNumber(left)} of ${formatNumber(most)} are free now: lower --runs or --connections, or raise max_connections`,
    )
  return ok(
    `${wanted} connections for ${formatCount(carried, 'run')} at once, ${formatNumber(left)} of ${formatNumber(most)} free${turns}`,
  )
}

interface Limits {
  /** How many this role may have in this database, when nobody else has any. */
  readonly most: number
  /** What bounds it, in words. */
  readonly what: string
  readonly left: number
}

async function readLimits(database: Database): Promise<Limits> {
  const { rows } = await database.transaction(
    (trx) =>
      trx.query(
        `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                  - coalesce(current_setting('reserved_connections', true)::int, 0),
                (select rolconnlimit from pg_roles where rolname = current_user),
                (select datconnlimit from pg_database where datname = current_database()),
                (select count(*)::int from pg_stat_activity
                  where backend_type = 'client backend' and pid <> pg_backend_pid())`,
      ),
    { readOnly: true },
  )
  const [server = 0, role = -1, own = -1, used = 0] = (rows[0] ?? []).map(Number)
  const bounds = [
    { most: server, what: 'max_connections of the server' },
    { most: role, what: 'the connection limit of this role' },
    { most: own, what: 'the connection limit of this database' },
  ].filter(({ most }) => most >= 0)
  const least = bounds.reduce((one, other) => (other.most < one.most ? other : one))
  return { ...least, left: Math.max(0, Math.min(least.most, server - used)) }
}
