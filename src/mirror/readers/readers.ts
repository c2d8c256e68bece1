/** Roles that may read the mirror: the statements that make one and take its rights away, and what is stored of them. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import { commandName } from '../../common/command-name.ts'
import type { Database } from '../../db/connect.ts'
import type { Transaction } from '../../db/transaction.ts'
import { existingRelations } from '../../db/readers/grant-again.ts'
import { identifier, literal } from '../../db/quote.ts'
import { grantsOf, readableBy, revocationsOf, type StoredReader } from '../../db/readers/readable.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { quote } from '../owner-tables/quote.ts'

/** Of the names of roles, in bytes. */
const MAX_NAME_BYTES = 63
const STATEMENT_TIMEOUT = '30s'

export interface ListedReader extends StoredReader {
  readonly added_at: string
  /** Whether there is still such a role. */
  readonly exists: boolean
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
    select reader.role_name, reader.with_personal, reader.added_at, role.oid is not null as exists
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
  refuseOwner(role_name, found)
  await refuseOtherRights(trx, reader)
  const role = identifier(role_name)
  const inDatabase = `in database ${identifier(found.database)}`
  return {
    role_name,
    is_new: !found.exists,
    exists: found.exists,
    statements: [
      ...(found.exists ? [] : [`create role ${role} login`]),
      `alter role ${role} ${inDatabase} set default_transaction_read_only = on`,
      `alter role ${role} ${inDatabase} set statement_timeout = '${STATEMENT_TIMEOUT}'`,
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
export async function planRemoval(trx: Transaction, role_name: string): Promise<ReaderPlan> {
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
    statements: [
      ...(reader.exists
        ? [
            ...revocationsOf(role_name),
            `alter role ${role} ${inDatabase} reset default_transaction_read_only`,
            `alter role ${role} ${inDatabase} reset statement_timeout`,
          ]
        : []),
      `delete from headcount.readers where role_name = ${literal(role_name)}`,
    ],
  }
}

/** Makes a plan, and with `apply` carries it out in the same transaction. */
export function planAndApply(
  database: Database,
  apply: boolean,
  plan: (trx: Transaction) => Promise<ReaderPlan>,
): Promise<ReaderPlan> {
  requireRoles(database)
  return database.transaction(
    async (trx) => {
      const planned = await plan(trx)
      if (apply) await applyPlan(trx, planned)
      return planned
    },
    { readOnly: !apply },
  )
}

/**
 * Runs the statements of a plan: all of them or none.
 *
 * @throws UsageError before anything is run, when this role may not make or change roles
 */
export async function applyPlan(
  trx: Transaction,
  { role_name, statements, is_new }: ReaderPlan,
): Promise<void> {
  const { rows } = await sql<{ may_create: boolean; name: string }>`
    select rolsuper or rolcreaterole as may_create, rolname as name from pg_catalog.pg_roles where rolname = current_user`.execute(
    trx.kysely,
  )
  const [me] = rows
  if (me?.may_create !== true)
    throw new UsageError(
      `The role ${quote(me?.name ?? '')} may not ${is_new ? 'create' : 'change'} roles. Run what ${commandName()} readers prints without --apply as a superuser, for reader ${quote(role_name)}.`,
    )
  for (const statement of statements) await trx.query(statement)
}

interface FoundRole {
  readonly database: string
  readonly exists: boolean
  readonly is_superuser: boolean
  /** Whether it owns the schema, or has the rights of the role that does. */
  readonly is_owner: boolean
}

async function findRole({ kysely }: Transaction, name: string): Promise<FoundRole> {
  const { rows } = await sql<FoundRole>`
    select current_database() as database, role.oid is not null as exists, coalesce(role.rolsuper, false) as is_superuser,
           coalesce(pg_has_role(role.oid, n.nspowner, 'member'), false) as is_owner
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
  if (name.includes('\0')) throw new UsageError(`No role has the name ${quote(name)}. ${remedy}`)
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw new UsageError(`The name ${quote(name)} is longer than ${MAX_NAME_BYTES} bytes. ${remedy}`)
  if (
    name.startsWith('pg_') ||
    ['public', 'none', 'current_user', 'session_user', 'current_role'].includes(name)
  )
    throw new UsageError(`Postgres keeps the name ${quote(name)} for itself. ${remedy}`)
}

function refuseOwner(name: string, { is_superuser, is_owner }: FoundRole): void {
  if (!is_superuser && !is_owner) return
  throw new UsageError(
    `The role ${quote(name)} ${is_superuser ? 'is a superuser' : 'owns the mirror'}: nothing binds it to reading. Name another one, like ${quote(`${name}_reader`)}.`,
  )
}

/** What a role may do as a member of another, or as everybody, no grant to itself can take away. */
async function refuseOtherRights(trx: Transaction, reader: StoredReader): Promise<void> {
  const [first] = [...(await otherRights(trx, reader)), ...(await placesForFunctions(trx, reader))]
  if (first === undefined) return
  const { holder, right, remedy } = first
  const role = identifier(reader.role_name)
  const [why, how] =
    holder === null
      ? ['everybody may', `${remedy} from public`]
      : holder === reader.role_name
        ? ['that was granted to it', `${remedy} from ${role}`]
        : [`it is a member of ${quote(holder)}`, `revoke ${identifier(holder)} from ${role}`]
  throw new UsageError(
    `The role ${quote(reader.role_name)} may ${right} besides, for ${why}. Take that away (${how}), or name another role.`,
  )
}

interface OtherRight {
  /** The role by which it has the right; null: everybody. */
  readonly holder: string | null
  readonly right: string
  /** The statement that takes it away, without from whom. */
  readonly remedy: string
}

/** The roles by which it has rights, as `holder.name`; `public` of everybody. */
const holders = (reader: StoredReader, withItself: boolean) => sql`
  cross join lateral (
    select other.rolname as name
      from pg_catalog.pg_roles role
      join pg_catalog.pg_roles other
        on (other.oid <> role.oid or ${withItself}) and pg_has_role(role.oid, other.oid, 'member')
     where role.rolname = ${reader.role_name}
    union all
    select 'public'
  ) holder`

/** More tables than it should read, and any that it could write. */
async function otherRights({ kysely }: Transaction, reader: StoredReader): Promise<readonly OtherRight[]> {
  const { rows } = await sql<{ holder: string | null; relation: string; writes: boolean }>`
    select nullif(holder.name, 'public') as holder, c.relname as relation, granted.writes
      from pg_catalog.pg_class c
     ${holders(reader, false)}
     cross join lateral (
       select has_any_column_privilege(holder.name, c.oid, 'insert, update')
                or has_table_privilege(holder.name, c.oid, 'delete, truncate') as writes,
              has_any_column_privilege(holder.name, c.oid, 'select')
                and c.relname <> all (${readableBy(reader)}) as reads
     ) granted
     where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'v') and (granted.writes or granted.reads)
     order by holder.name = 'public' desc, holder.name, c.relname
     limit 1`.execute(kysely)
  return rows.map(({ holder, relation, writes }) => ({
    holder,
    right: `${writes ? 'write' : 'read'} ${relation}`,
    remedy: `revoke all on headcount.${identifier(relation)}`,
  }))
}

/** Schemas in which it could put functions that the statements of the owner may call. */
async function placesForFunctions(
  { kysely }: Transaction,
  reader: StoredReader,
): Promise<readonly OtherRight[]> {
  const { rows } = await sql<{ holder: string | null; schema: string }>`
    select nullif(holder.name, 'public') as holder, n.nspname as schema
      from pg_catalog.pg_namespace n
     ${holders(reader, true)}
     where n.nspname in ('headcount', 'headcount_internal', 'public')
       and has_schema_privilege(holder.name, n.oid, 'create')
       -- What is granted to the role itself in these two, the plan takes away.
       and (holder.name <> ${reader.role_name} or n.nspname = 'public')
     order by holder.name = 'public' desc, holder.name, n.nspname
     limit 1`.execute(kysely)
  return rows.map(({ holder, schema }) => ({
    holder,
    right: `create functions in schema ${schema}`,
    remedy: `revoke create on schema ${identifier(schema)}`,
  }))
}
