/** The database: can it be reached, is it new enough, may we write, is its schema ours. */
import { access, constants } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { connect, type Database } from '../../db/connect.ts'
import { schemaState } from '../../db/migrate.ts'
import type { Transaction } from '../../db/transaction.ts'
import { failed, failure, ok, type Finding } from './check.ts'

const DATABASE = 5
const OLDEST_POSTGRES = 15

/** The folder of an embedded database; null for a server. */
export function folderOf(target: string): string | null {
  return target.startsWith('pglite:') ? resolve(target.slice('pglite:'.length)) : null
}

/** Opens the database as it is; a folder that is not there yet stays so. */
export async function openDatabase(target: string): Promise<Database | Finding> {
  const folder = folderOf(target)
  if (folder !== null && !(await exists(folder))) return checkParent(folder)
  try {
    return await connect(target, { createFolder: false })
  } catch (error) {
    return failure(error, DATABASE)
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

/** The nearest folder above that exists. */
export async function nearestExisting(path: string): Promise<string> {
  let at = path
  while (!(await exists(at)) && dirname(at) !== at) at = dirname(at)
  return at
}

async function checkParent(folder: string): Promise<Finding> {
  const parent = await nearestExisting(folder)
  try {
    await access(parent, constants.W_OK)
    return ok(`embedded; the first run makes the folder ${folder}`)
  } catch {
    return failed(
      DATABASE,
      `${parent} cannot be written: the first run could not make ${folder}; name another with --database`,
    )
  }
}

export async function checkDatabase(database: Database): Promise<Finding> {
  try {
    return await database.transaction(inspect, { readOnly: true })
  } catch (error) {
    return failure(error, DATABASE)
  }
}

async function inspect(trx: Transaction): Promise<Finding> {
  const { rows } = await trx.query(
    `select current_setting('server_version'), current_setting('server_version_num')::int, current_user,
            current_database(), pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on'`,
  )
  const [version, number, user, name] = (rows[0] ?? []).map(String)
  const isReadOnly = rows[0]?.[4] === true
  const major = Math.floor(Number(number) / 10_000)
  if (major < OLDEST_POSTGRES) {
    return failed(DATABASE, `Postgres ${version} is too old: headcount needs ${OLDEST_POSTGRES} or newer`)
  }
  if (isReadOnly)
    return failed(
      DATABASE,
      `${name} takes no writes (a standby, or set to read only): use the primary server`,
    )
  const lacking = await lackingRights(trx)
  if (lacking !== null) return failed(DATABASE, `${user} may not ${lacking}`)
  return ok(
    trx.engine === 'embedded' ? `embedded Postgres ${version}` : `Postgres ${version}, ${name} as ${user}`,
  )
}

/** The first right that a run would miss, with its remedy. */
async function lackingRights(trx: Transaction): Promise<string | null> {
  const schema = await trx.query(
    `select to_regnamespace('headcount') is not null, has_database_privilege(current_database(), 'create')`,
  )
  const [hasSchema, mayCreate] = schema.rows[0] ?? []
  if (hasSchema !== true) {
    return mayCreate === true
      ? null
      : 'create the schema headcount: grant create on the database to this role'
  }
  const usage = await trx.query(`select has_schema_privilege('headcount', 'usage')`)
  if (usage.rows[0]?.[0] !== true)
    return 'use the schema headcount: grant usage on schema headcount to this role'
  const tables = await trx.query(
    `select string_agg(relname, ', ' order by relname)
       from pg_class
      where relnamespace = to_regnamespace('headcount') and relkind = 'r'
        and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                 and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))`,
  )
  const names = tables.rows[0]?.[0]
  if (typeof names !== 'string') return null
  return `read and write ${names}: grant select, insert, update, delete on all tables in schema headcount`
}

export async function checkSchema(database: Database): Promise<Finding> {
  try {
    const { current, needed } = await schemaState(database)
    if (current > needed) {
      return failed(DATABASE, `version ${current} is newer than this program (${needed}): upgrade headcount`)
    }
    if (current === needed) return ok(`up to date (version ${current})`)
    const what = current === 0 ? 'none yet' : `version ${current}, ${needed} is needed`
    return ok(`${what}: the next run brings it up to date, or headcount migrate`)
  } catch (error) {
    return failure(error, DATABASE)
  }
}
