/** Roles that may read the mirror: the statements that make one and take its rights away, and what is stored of them. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { commandName, quoteForShell } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import { codeOf, INSUFFICIENT_PRIVILEGE } from '../../db/errors/sqlstate.ts'
import type { Transaction } from '../../db/transaction.ts'
import { existingRelations, mayStillRead } from '../../db/readers/grant-again.ts'
import { identifier, literal } from '../../db/quote.ts'
import { grantsOf, revocationsOf, type StoredReader } from '../../db/readers/readable.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { quote } from '../../common/parse-values.ts'
import { blindReaders } from './hidden-tables.ts'
import { refuseOtherRights } from './other-rights.ts'

/** Of the names of roles, in bytes. */
const MAX_NAME_BYTES = 63
const STATEMENT_TIMEOUT = '30s'

export interface ListedReader extends StoredReader {
  readonly added_at: string
  /** Whether there is still such a role. */
  readonly exists: boolean
  /** Whether it may still read: a role that was made anew under this name may not. */
  readonly may_read: boolean
}

/** What is to be run, in one transaction. */
export interface ReaderPlan {
  readonly role_name: string
  /** Each is one statement, without a semicolon. */
  readonly statements: readonly string[]
  /** Whether the role is made. */
  readonly is_new: boolean
  /** Whether the role was there before. */
  readonly exists: boolean
  /** Once it ran: the tables of which row security shows the new reader no row. */
  readonly hidden_tables: readonly string[]
}

/** A role that becomes a reader, or is to be none any more. */
export type ReaderChange = { readonly add: StoredReader } | { readonly remove: string }

/** What prints the statements: operands and flags of `readers`. */
function commandOf(change: ReaderChange): string {
  if ('remove' in change) return `remove ${quoteForShell(change.remove)}`
  const { role_name, with_personal } = change.add
  return `add ${quoteForShell(role_name)}${with_personal ? '' : ' --without-personal'}`
}

/** @throws UsageError for PGlite, which has no roles */
export function requireRoles({ engine }: Pick<Database, 'engine'>): void {
  if (engine !== 'pglite') return
  throw new UsageError(
    `PGlite has one role, which may do everything, so it has no readers. Mirror into a Postgres, or hand out answers: ${commandName()} query "table event_summary" --output events.csv`,
  )
}

export async function listReaders({ kysely }: Transaction): Promise<readonly ListedReader[]> {
  const { rows } = await sql<ListedReader>`
    select reader.role_name, reader.with_personal, reader.added_at, role.oid is not null as exists,
           coalesce(${mayStillRead}, false) as may_read
      from headcount.readers reader
      left join pg_catalog.pg_roles role on role.rolname = reader.role_name
     order by reader.role_name`.execute(kysely)
  return rows
}

/**
 * The statements that make a role a reader, or a reader of the other kind.
 *
 * @throws UsageError when no role may have this name, or the role may do more than read
 */
export async function planReader(trx: Transaction, reader: StoredReader): Promise<ReaderPlan> {
  const { role_name } = reader
  requireRoleName(role_name)
  const found = await findRole(trx, role_name)
  refuseOtherUse(role_name, found)
  await refuseOtherRights(trx, reader)
  const role = identifier(role_name)
  const inDatabase = `in database ${identifier(found.database)}`
  return {
    role_name,
    is_new: !found.exists,
    exists: found.exists,
    hidden_tables: [],
    statements: [
      ...(found.exists ? [] : [`create role ${role} login`]),
      `alter role ${role} ${inDatabase} set default_transaction_read_only = on`,
      `alter role ${role} ${inDatabase} set statement_timeout = '${STATEMENT_TIMEOUT}'`,
      // To compile what a view asks takes longer than to answer it.
      `alter role ${role} ${inDatabase} set jit = off`,
      ...grantsOf(reader, await existingRelations(trx)),
      `insert into headcount.readers (role_name, with_personal) values (${literal(role_name)}, ${String(reader.with_personal)}) ` +
        'on conflict (role_name) do update set with_personal = excluded.with_personal',
    ],
  }
}

/**
 * The statements that take everything from a reader; the role stays.
 *
 * @throws UsageError, with the nearest one, when it is no reader
 */
async function planRemoval(trx: Transaction, role_name: string): Promise<ReaderPlan> {
  const readers = await listReaders(trx)
  const reader = readers.find((stored) => stored.role_name === role_name)
  if (reader === undefined) {
    const names = readers.map(({ role_name }) => role_name)
    const nearest = names.length === 0 ? ' (the mirror has none)' : didYouMean(role_name, names)
    throw new UsageError(
      `The mirror has no reader ${quote(role_name)}${nearest}. See all with: ${commandName()} readers list`,
    )
  }
  const role = identifier(role_name)
  const { database } = await findRole(trx, role_name)
  const inDatabase = `in database ${identifier(database)}`
  return {
    role_name,
    is_new: false,
    exists: reader.exists,
    hidden_tables: [],
    statements: [
      ...(reader.exists
        ? [
            ...revocationsOf(role_name),
            `alter role ${role} ${inDatabase} reset default_transaction_read_only`,
            `alter role ${role} ${inDatabase} reset statement_timeout`,
            `alter role ${role} ${inDatabase} reset jit`,
          ]
        : []),
      `delete from headcount.readers where role_name = ${literal(role_name)}`,
    ],
  }
}

/** Makes a plan, and with `apply` carries it out in the same transaction. */
export function planAndApply(database: Database, apply: boolean, change: ReaderChange): Promise<ReaderPlan> {
  requireRoles(database)
  return database.transaction(
    async (trx) => {
      const plan = await ('add' in change ? planReader(trx, change.add) : planRemoval(trx, change.remove))
      if (!apply) return plan
      await applyPlan(trx, plan, commandOf(change))
      const blind = 'add' in change ? await blindReaders(trx) : []
      return {
        ...plan,
        hidden_tables: blind.find(({ role_name }) => role_name === plan.role_name)?.tables ?? [],
      }
    },
    { readOnly: !apply },
  )
}

/**
 * Runs the statements of a plan: all of them or none.
 *
 * @param command what prints them: operands and flags of `readers`
 * @throws UsageError when this role may not make or change the role
 */
export async function applyPlan(
  trx: Transaction,
  { role_name, statements, is_new }: ReaderPlan,
  command: string,
): Promise<void> {
  const { rows } = await sql<{ may_create: boolean; name: string }>`
    select rolsuper or rolcreaterole as may_create, rolname as name from pg_catalog.pg_roles where rolname = current_user`.execute(
    trx.kysely,
  )
  const [me] = rows
  const refusal = (what: string, cause?: unknown) =>
    new UsageError(
      `The role ${quote(me?.name ?? '')} may not ${is_new ? 'create' : 'change'} ${what}. Run as a superuser what this prints: ${commandName()} readers ${command}`,
      { cause },
    )
  if (me?.may_create !== true) throw refusal('roles')
  try {
    for (const statement of statements) await trx.query(statement)
  } catch (error) {
    // From Postgres 16 on, whoever may create roles may change those alone that it administers.
    throw codeOf(error) === INSUFFICIENT_PRIVILEGE ? refusal(`the role ${quote(role_name)}`, error) : error
  }
}

interface FoundRole {
  readonly database: string
  readonly exists: boolean
  readonly is_superuser: boolean
  /** Whether it owns anything of the mirror, or has the rights of the role that does. */
  readonly is_owner: boolean
  readonly is_database_owner: boolean
  /** Whether it was granted the right to record runs. */
  readonly is_writer: boolean
}

async function findRole({ kysely }: Transaction, name: string): Promise<FoundRole> {
  const { rows } = await sql<FoundRole>`
    select current_database() as database, role.oid is not null as exists, coalesce(role.rolsuper, false) as is_superuser,
           exists (
             select from pg_catalog.pg_namespace part
              where part.nspname in ('headcount', 'headcount_internal', 'headcount_queue')
                and (pg_has_role(role.oid, part.nspowner, 'member')
                     or exists (select from pg_catalog.pg_class c where c.relnamespace = part.oid and pg_has_role(role.oid, c.relowner, 'member'))
                     or exists (select from pg_catalog.pg_proc p where p.pronamespace = part.oid and pg_has_role(role.oid, p.proowner, 'member')))
           ) as is_owner,
           exists (
             select from pg_catalog.pg_database d
              where d.datname = current_database() and pg_has_role(role.oid, d.datdba, 'member')
           ) as is_database_owner,
           exists (
             select from pg_catalog.pg_class c
              cross join aclexplode(c.relacl) granted
              where c.oid = 'headcount.sync_runs'::regclass and granted.grantee = role.oid and granted.privilege_type = 'INSERT'
           ) as is_writer
      from pg_catalog.pg_namespace n
      left join pg_catalog.pg_roles role on role.rolname = ${name}
     where n.nspname = 'headcount'`.execute(kysely)
  const [found] = rows
  if (found === undefined)
    throw new UsageError(`The database has no mirror yet. Run: ${commandName()} migrate`)
  return found
}

function requireRoleName(name: string): void {
  const remedy = 'Choose another name for the reader.'
  if (name === '') throw new UsageError(`A reader needs a name. ${remedy}`)
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new UsageError(`The name ${quote(name)} is longer than ${MAX_NAME_BYTES} bytes. ${remedy}`)
  if (
    name.startsWith('pg_') ||
    ['public', 'none', 'current_user', 'session_user', 'current_role'].includes(name)
  )
    throw new UsageError(`Postgres keeps the name ${quote(name)} for itself. ${remedy}`)
}

function refuseOtherUse(
  name: string,
  { is_superuser, is_owner, is_database_owner, is_writer }: FoundRole,
): void {
  const unbound = 'nothing binds it to reading'
  const uses = [
    [is_superuser, `is a superuser: ${unbound}`],
    [is_owner, `owns the mirror: ${unbound}`],
    [is_database_owner, `owns the database: ${unbound}`],
    // guard: role of a sync
    [is_writer, 'may write the mirror, as a sync does, and could not any more'],
  ] as const
  const use = uses.find(([isSo]) => isSo)
  if (use === undefined) return
  throw new UsageError(
    `The role ${quote(name)} ${use[1]}. Name another one, like ${quote(`${name}_reader`)}.`,
  )
}
