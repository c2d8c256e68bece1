/** The database: can it be reached, is it new enough, may we write, is its schema ours. */
import { sql } from 'kysely'
import { identifier } from '../../../db/quote.ts'
import { creatorInPublic } from '../../../db/readers/public-schema.ts'
import { access, constants } from 'node:fs/promises'
import { dirname } from 'node:path'
import { commandName } from '../../../common/command-name.ts'
import { formatCount } from '../../../common/text/number.ts'
import { connect, pgliteDataDir, type ConnectOptions, type Database } from '../../../db/connect.ts'
import { isEmptyFolder, isLink } from '../../../db/pglite/data-dir.ts'
import { notOurs } from '../../../db/pglite/data-dir-mode.ts'
import { UNUSED_BY_RUNS } from '../../../db/readers/readable.ts'
import { lackingRightToMigrate, MIRROR_SCHEMAS, missingSchemas, schemaState } from '../../../db/migrate.ts'
import { requireNotMoved } from '../../../load/state/moved.ts'
import { blindReaders, statementsToShow } from '../../../mirror/readers/hidden-tables.ts'
import type { Transaction } from '../../../db/transaction.ts'
import { createIndexStatement, indexesOfOtherOwner } from '../../../db/maintenance/deferred-indexes.ts'
import { droppedParts, namesTaken, remedyOfDropped } from './dropped-parts.ts'
import { DATABASE, failed, failure, ok, orFailure, warning, type CheckResult } from './check.ts'

const OLDEST_POSTGRES = 15

/** Opens the database as it is; a folder that is not there yet, or empty, stays so. */
export async function openDatabase(target: string, options: ConnectOptions): Promise<Database | CheckResult> {
  const folder = pgliteDataDir(target)
  if (folder !== null && !(await exists(folder)) && !(await isLink(folder))) return checkParent(folder)
  if (folder !== null && (await isEmptyFolder(folder))) return checkEmpty(folder)
  try {
    return await connect(target, { ...options, createFolder: false })
  } catch (error) {
    return failure(error, DATABASE)
  }
}

async function allows(path: string, rights: number): Promise<boolean> {
  return access(path, rights).then(
    () => true,
    () => false,
  )
}

const exists = (path: string) => allows(path, constants.F_OK)

/** Whether this user may make files in the folder. */
export const isWritable = (folder: string) => allows(folder, constants.W_OK | constants.X_OK)

/** The nearest folder above that exists. */
export async function nearestExisting(path: string): Promise<string> {
  let at = path
  while (!(await exists(at)) && dirname(at) !== at) at = dirname(at)
  return at
}

async function checkParent(folder: string): Promise<CheckResult> {
  const parent = await nearestExisting(folder)
  if (await isWritable(parent)) return ok(`PGlite; the first run makes the folder ${folder}`)
  return failed(
    DATABASE,
    `${parent} cannot be written: the first run could not make ${folder}; name another with --database`,
  )
}

async function checkEmpty(folder: string): Promise<CheckResult> {
  const refusal = await notOurs(folder)
  if (refusal !== null) return failed(DATABASE, refusal)
  if (await isWritable(folder)) return ok(`PGlite; the first run fills the empty folder ${folder}`)
  return failed(
    DATABASE,
    `${folder} is empty and cannot be written: give this user the right to write in it, or name another with --database`,
  )
}

export function checkDatabase(database: Database): Promise<CheckResult> {
  return orFailure(DATABASE, () => database.transaction(inspect, { readOnly: true }))
}

async function inspect(trx: Transaction): Promise<CheckResult> {
  const { rows } = await trx.query(
    `select current_setting('server_version'), current_setting('server_version_num')::int, current_user,
            current_database()`,
  )
  const [version, number, user = '', name = ''] = (rows[0] ?? []).map(String)
  const major = Math.floor(Number(number) / 10_000)
  if (major < OLDEST_POSTGRES) {
    return failed(DATABASE, `Postgres ${version} is too old: headcount needs ${OLDEST_POSTGRES} or newer`)
  }
  const readOnly = await readOnlyReason(trx, user, name)
  if (readOnly !== null) return failed(DATABASE, readOnly)
  const lacking = await lackingRights(trx, user)
  if (lacking !== null) return failed(DATABASE, lacking)
  if (trx.engine === 'pglite') return ok(`embedded Postgres ${version}`)
  const detail = `Postgres ${version}, ${name} as ${user}`
  const unreadable = await unreadableViews(trx)
  if (unreadable !== null) return warning(`${detail}; ${unreadable}`)
  const creator = await creatorInPublic(trx)
  if (creator === null) return ok(detail)
  const [who, from] = creator === 'public' ? ['everybody', 'public'] : [creator, identifier(creator)]
  return warning(
    `${detail}; ${who} may put functions into the schema public, which ${user} may call without knowing: as a superuser run revoke create on schema public from ${from}`,
  )
}

/** Why nothing can be written over this connection, with the remedy. */
async function readOnlyReason(trx: Transaction, user: string, name: string): Promise<string | null> {
  const { rows } = await trx.query(
    `select pg_is_in_recovery(), setting = 'on', source
       from pg_settings
      where name = 'default_transaction_read_only'`,
  )
  const [isStandby, isReadOnly, source] = rows[0] ?? []
  if (isStandby === true) return `${name} is on a standby, which takes no writes: use the primary server`
  if (isReadOnly !== true) return null
  if (source === 'user' || source === 'database user') {
    return `${user} is a role that only reads (its default_transaction_read_only is on, as readers add sets it): use the role that writes the mirror`
  }
  const where = source === 'database' ? 'of the database' : `from: ${String(source)}`
  return `${name} is set to read only (default_transaction_read_only, ${where}): set it to off there, or use a database that takes writes`
}

/** The first right that a run would miss, with its remedy. */
async function lackingRights(trx: Transaction, user: string): Promise<string | null> {
  const { missing, remedy } = await missingSchemas(trx, MIRROR_SCHEMAS)
  if (missing.includes('headcount')) return remedy
  const usage = await trx.query(`select has_schema_privilege('headcount', 'usage')`)
  if (usage.rows[0]?.[0] !== true)
    return `${user} may not use the schema headcount: grant usage on schema headcount to this role`
  const tables = await trx.query(
    `select string_agg(relname, ', ' order by relname),
            string_agg('headcount.' || quote_ident(relname), ', ' order by relname), quote_ident(current_user)
       from pg_class
      where relnamespace = to_regnamespace('headcount') and relkind in ('r', 'p') and not relispartition and relname <> all ($1)
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                 and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))`,
    // guard: what a run needs
    [UNUSED_BY_RUNS],
  )
  const [names, qualified, role] = tables.rows[0] ?? []
  if (typeof names !== 'string') return (await hiddenRows(trx, user)) ?? lackingFunctions(trx, user)
  return `${user} may not read and write ${names}: grant select, insert, update, delete on ${String(qualified)} to ${String(role)}`
}

/** Row security that somebody enabled, and that this role, or the owner itself (`force`), is subject to. */
async function hiddenRows(trx: Transaction, user: string): Promise<string | null> {
  const { rows } = await trx.query(
    `select string_agg(c.relname, ', ' order by c.relname),
            bool_and(pg_has_role(c.relowner, 'usage')), min(quote_ident(pg_get_userbyid(c.relowner))),
            string_agg('alter table headcount.' || quote_ident(c.relname) || ' no force row level security;', ' ' order by c.relname)
       from pg_class c
      where c.relnamespace = to_regnamespace('headcount') and c.relkind in ('r', 'p') and row_security_active(c.oid)`,
  )
  const [tables, isOwner, owner, statements] = rows[0] ?? []
  if (typeof tables !== 'string') return null
  const remedy =
    isOwner === true
      ? `run ${String(statements)}`
      : `use ${String(owner)}, who owns them, or a role with BYPASSRLS`
  return `row security hides rows of ${tables} from ${user}, and a run would take them for missing ones: ${remedy}`
}

/** Everybody may call them, until somebody takes that away; but for those which show rows and which no run calls. */
async function lackingFunctions(trx: Transaction, user: string): Promise<string | null> {
  const { rows } = await trx.query(
    `select count(*)::int, min(oid::regprocedure::text), quote_ident(current_user)
       from pg_proc
      where pronamespace in (to_regnamespace('headcount'), to_regnamespace('headcount_internal')) and not prosecdef
        and not has_function_privilege(oid, 'execute')`,
  )
  const [count, first, role] = rows[0] ?? []
  if (typeof first !== 'string') return null
  return `${user} may not call ${formatCount(Number(count), 'function')} of the mirror, as ${first}: grant execute on all functions in schema headcount, headcount_internal to ${String(role)}`
}

/** Of a role that may run, and not ask. */
async function unreadableViews(trx: Transaction): Promise<string | null> {
  const { rows } = await trx.query(
    `select string_agg('headcount.' || quote_ident(relname), ', ' order by relname), quote_ident(current_user)
       from pg_class
      where relnamespace = to_regnamespace('headcount') and relkind = 'v' and not has_table_privilege(oid, 'select')`,
  )
  const [views, role] = rows[0] ?? []
  if (typeof views !== 'string') return null
  return `runs may go on, and answers such as events and digest may not read some views: grant select on ${views} to ${String(role)}`
}

/** A warning, and each statement that mends it on a line of its own. */
function toRun(detail: string, statements: readonly string[]): CheckResult {
  return warning(detail + statements.map((statement) => `\n${statement};`).join(''))
}

/** The next run makes what is missing, if its role may. */
async function checkIndexes({ kysely }: Database, detail: string): Promise<CheckResult> {
  const missing = await indexesOfOtherOwner(kysely)
  if (missing.length === 0) return ok(detail)
  return toRun(
    `${detail}; queries lack an index, and only the owner of headcount.responses may make it. As that role run:`,
    missing.map((index) => createIndexStatement(index)),
  )
}

/** A crash of the server empties them, and lists that did not change are not read again. */
async function checkLogged({ engine, kysely }: Database, detail: string): Promise<CheckResult> {
  if (engine === 'pglite') return ok(detail)
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name
      from pg_catalog.pg_class c
     where c.relnamespace = 'headcount'::regnamespace and c.relkind = 'r' and c.relpersistence = 'u'
     order by 1`.execute(kysely)
  if (rows.length === 0) return ok(detail)
  return toRun(
    `${detail}; a crash of the server would empty ${rows.map(({ name }) => name).join(', ')}, and runs read only what changes. Let the tables be logged, and backfill once if that has happened:`,
    rows.map(({ name }) => `alter table ${name} set logged`),
  )
}

/** Those of the owner: a statement of this program that fires one looks in `pg_catalog` alone. */
async function checkTriggers({ engine, kysely }: Database, detail: string): Promise<CheckResult> {
  if (engine === 'pglite') return ok(detail)
  const { rows } = await sql<{ trigger: string; function: string }>`
    select pg_catalog.format('%I on %s', t.tgname, t.tgrelid::regclass) as trigger, p.oid::regprocedure::text as function
      from pg_catalog.pg_trigger t
      join pg_catalog.pg_class c on c.oid = t.tgrelid
      join pg_catalog.pg_proc p on p.oid = t.tgfoid
      join pg_catalog.pg_language l on l.oid = p.prolang
     where c.relnamespace = 'headcount'::regnamespace and not t.tgisinternal and t.tgenabled <> 'D'
       and l.lanname not in ('internal', 'c')
       and not exists (select from unnest(p.proconfig) as setting where setting like 'search_path=%')
     order by 1`.execute(kysely)
  if (rows.length === 0) return ok(detail)
  const functions = [...new Set(rows.map((row) => row.function))]
  return toRun(
    `${detail}; triggers that headcount did not make find only what they name with its schema: ${rows.map(({ trigger }) => trigger).join(', ')}. Let their functions name all with its schema, or give them a path:`,
    functions.map((name) => `alter function ${name} set search_path = public, pg_temp`),
  )
}

/** Where row security is on without a policy, a reader gets no rows and no error. */
async function checkReaders(database: Database, detail: string): Promise<CheckResult> {
  if (database.engine === 'pglite') return ok(detail)
  const blind = await database.transaction(blindReaders, { readOnly: true })
  if (blind.length === 0) return ok(detail)
  const shown = blind.map(({ role_name, tables }) => `${role_name} no row of ${tables.join(', ')}`)
  return toRun(
    `${detail}; row security shows ${shown.join('; ')}, and views show them all. Give them a policy, or run:`,
    statementsToShow(blind.flatMap(({ tables }) => tables)),
  )
}

export function checkSchema(database: Database): Promise<CheckResult> {
  return orFailure(DATABASE, async () => {
    const { current, needed } = await schemaState(database)
    if (current > needed) {
      return failed(DATABASE, `version ${current} is newer than this program (${needed}): upgrade headcount`)
    }
    if (current === needed) {
      await requireNotMoved(database.kysely)
      const dropped = await droppedParts(database)
      if (dropped.length > 0)
        return failed(DATABASE, `version ${current}, and somebody dropped ${remedyOfDropped(dropped)}`)
      const detail = `up to date (version ${current})`
      for (const check of [checkLogged, checkIndexes, checkTriggers, checkReaders]) {
        const found = await check(database, detail)
        if (found.state !== 'ok') return found
      }
      return ok(detail)
    }
    const lacking = await database.transaction(lackingRightToMigrate, { readOnly: true })
    if (lacking !== null) return failed(DATABASE, `migrations are pending. ${lacking}`)
    const taken = current === 0 ? await namesTaken(database) : []
    if (taken.length > 0)
      return failed(
        DATABASE,
        `the schema headcount holds ${taken.join(', ')}, which headcount did not make: move that to another schema, or mirror into another database`,
      )
    const what = current === 0 ? 'none yet' : `version ${current}, ${needed} is needed`
    return ok(`${what}: the next run brings it up to date, or ${commandName()} migrate`)
  })
}
