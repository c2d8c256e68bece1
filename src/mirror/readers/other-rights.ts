/** What a role may do besides reading, which no grant to itself takes away: as it was made, as a member of another role, or as everybody. */
import { sql } from 'kysely'
import { UsageError } from '../../common/errors.ts'
import type { Transaction } from '../../db/transaction.ts'
import { identifier } from '../../db/quote.ts'
import { READABLE_OF_ACCOUNTS, readableBy, type StoredReader } from '../../db/readers/readable.ts'
import { quote } from '../../common/parse-values.ts'

interface OtherRight {
  /** The role by which it has the right; null: everybody. */
  readonly holder: string | null
  /** The role that was granted to it, and by which it is a member of the holder; null of itself and of everybody. */
  readonly direct: string | null
  /** Behind "may". */
  readonly right: string
  /** The statement that takes it away from the holder, without from whom. */
  readonly remedy: string
}

/** @throws UsageError that names the first right, and the statement that takes it away */
export async function refuseOtherRights(trx: Transaction, reader: StoredReader): Promise<void> {
  const role = identifier(reader.role_name)
  const finders = [
    // guard: attributes of a reader
    attributes,
    // guard: roles of Postgres
    predefinedRoles,
    // guard: more than select
    relations,
    // guard: functions of the owner
    functions,
    // guard: schemas of a reader
    places,
  ]
  for (const find of finders) {
    const [first] = await find(trx, reader)
    if (first === undefined) continue
    const { holder, direct, right, remedy } = first
    const [why, how] =
      holder === null
        ? ['everybody may', `${remedy} from public`]
        : holder !== reader.role_name
          ? [`it is a member of ${quote(holder)}`, `revoke ${identifier(direct ?? holder)} from ${role}`]
          : remedy.startsWith('alter')
            ? ['it was made so', remedy]
            : ['that was granted to it', `${remedy} from ${role}`]
    throw new UsageError(
      `The role ${quote(reader.role_name)} may ${right} besides, for ${why}. Take that away (${how}), or name another role.`,
    )
  }
}

/**
 * The roles by which it has rights, as `holder`, first those that were granted to it; `public` of everybody. A membership without
 * `inherit` counts, for `set role` takes what it gives.
 */
const holders = (reader: StoredReader, withItself: boolean) => sql`
  cross join lateral (
    select other.rolname as name, other.oid,
           (select granted.rolname
              from pg_auth_members member
              join pg_roles granted on granted.oid = member.roleid
             where member.member = role.oid and pg_has_role(granted.oid, other.oid, 'member')
             order by granted.oid <> other.oid, granted.rolname
             limit 1) as direct
      from pg_roles role
      join pg_roles other on (other.oid <> role.oid or ${withItself}) and pg_has_role(role.oid, other.oid, 'member')
     where role.rolname = ${reader.role_name}
    union all
    select 'public', null, null
  ) holder`
const named = sql`nullif(holder.name, 'public') as holder, holder.direct`
const nearest = sql`holder.name = 'public' desc, holder.direct is distinct from holder.name, holder.name`

type Found<T> = T & Pick<OtherRight, 'holder' | 'direct'>

const ATTRIBUTES: ReadonlyMap<string, string> = new Map([
  ['superuser', 'do everything'],
  ['createrole', 'create and change roles'],
  ['createdb', 'create databases'],
  ['replication', 'copy the whole server by replication'],
  ['bypassrls', 'read what row security hides'],
])

async function attributes({ kysely }: Transaction, reader: StoredReader): Promise<readonly OtherRight[]> {
  const { rows } = await sql<Found<{ attribute: string }>>`
    select ${named}, attribute
      from pg_roles made
     ${holders(reader, true)}
     cross join lateral (values ('superuser', made.rolsuper), ('createrole', made.rolcreaterole), ('createdb', made.rolcreatedb),
                                ('replication', made.rolreplication), ('bypassrls', made.rolbypassrls)) has (attribute, given)
     where made.oid = holder.oid and given
     order by holder.direct is not null, ${nearest}, attribute
     limit 1`.execute(kysely)
  return rows.map(({ attribute, ...by }) => ({
    ...by,
    right: ATTRIBUTES.get(attribute) ?? attribute,
    remedy: `alter role ${identifier(reader.role_name)} no${attribute}`,
  }))
}

/** What Postgres' own roles may do. One that is not known here, of a later version, is refused by its name. */
const PREDEFINED: ReadonlyMap<string, string> = new Map([
  ['pg_checkpoint', 'make the server write checkpoints'],
  ['pg_create_subscription', 'let the server fetch data from others'],
  ['pg_execute_server_program', 'run programs on the server'],
  ['pg_maintain', 'lock, vacuum and reindex tables'],
  ['pg_monitor', 'see the statements of others'],
  ['pg_read_all_settings', 'read settings of the server that may be secret'],
  ['pg_read_all_stats', 'see the statements of others'],
  ['pg_read_server_files', 'read files of the server'],
  ['pg_signal_autovacuum_worker', 'end the work of autovacuum'],
  ['pg_signal_backend', 'end the statements and connections of others'],
  ['pg_stat_scan_tables', 'lock tables while their statistics are made'],
  ['pg_write_server_files', 'write files of the server'],
])

/**
 * Passed over: the reserved connections give no data and no right, an owner of the database is refused before, and what the other two
 * may do is found at the tables.
 */
const PASSED_OVER = [
  'pg_use_reserved_connections',
  'pg_database_owner',
  'pg_read_all_data',
  'pg_write_all_data',
]

async function predefinedRoles(
  { kysely }: Transaction,
  reader: StoredReader,
): Promise<readonly OtherRight[]> {
  const { rows } = await sql<Found<{ predefined: string }>>`
    select ${named}, holder.name as predefined
      from (select) one_row
     ${holders(reader, false)}
     where starts_with(holder.name, 'pg_') and holder.name <> all (${PASSED_OVER})
     order by ${nearest}
     limit 1`.execute(kysely)
  return rows.map(({ predefined, ...by }) => ({
    ...by,
    right: PREDEFINED.get(predefined) ?? `do what ${predefined} may`,
    remedy: '',
  }))
}

/** More tables than it should read, and any that it could do more with. */
async function relations({ kysely }: Transaction, reader: StoredReader): Promise<readonly OtherRight[]> {
  const { rows } = await sql<Found<{ relation: string; verb: string }>>`
    select ${named}, c.relname as relation, granted.verb
      from pg_class c
     ${holders(reader, false)}
     cross join lateral (
       select case
         when has_any_column_privilege(holder.name, c.oid, 'insert, update')
              or has_table_privilege(holder.name, c.oid, 'delete, truncate') then 'write'
         when case when c.relkind = 'S' then has_sequence_privilege(holder.name, c.oid, 'usage') end then 'advance'
         when c.relname <> all (${readableBy(reader)}) and exists (
           select from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
              and not (c.relname = 'accounts' and a.attname = any (${READABLE_OF_ACCOUNTS}))
              and has_column_privilege(holder.name, c.oid, a.attnum, 'select')) then 'read'
         when has_table_privilege(holder.name, c.oid, 'trigger') then 'put triggers on'
         when has_any_column_privilege(holder.name, c.oid, 'references') then 'refer by foreign keys to'
         -- A right of Postgres 17; older ones know no such word.
         when case when current_setting('server_version_num')::int >= 170000
                   then has_table_privilege(holder.name, c.oid, 'maintain') end then 'lock and vacuum'
         when has_any_column_privilege(holder.name, c.oid, 'select with grant option') then 'let others read'
       end as verb
     ) granted
     where c.relnamespace = 'headcount'::regnamespace and c.relkind in ('r', 'v', 'm', 'f', 'p', 'S') and granted.verb is not null
     order by ${nearest}, c.relname
     limit 1`.execute(kysely)
  return rows.map(({ relation, verb, ...by }) => ({
    ...by,
    right: `${verb} ${relation}`,
    remedy: `revoke all on headcount.${identifier(relation)}`,
  }))
}

/** Functions with the rights of their owner, which are for readers of names alone. */
async function functions({ kysely }: Transaction, reader: StoredReader): Promise<readonly OtherRight[]> {
  if (reader.with_personal) return []
  const { rows } = await sql<Found<{ signature: string }>>`
    select ${named}, p.oid::regprocedure::text as signature
      from pg_proc p
      join pg_namespace n on n.oid = p.pronamespace
     ${holders(reader, false)}
     where n.nspname in ('headcount', 'headcount_internal') and p.prosecdef
       and has_function_privilege(holder.name, p.oid, 'execute')
     order by ${nearest}, signature
     limit 1`.execute(kysely)
  return rows.map(({ signature, ...by }) => ({
    ...by,
    right: `call ${signature}`,
    remedy: `revoke execute on function ${signature}`,
  }))
}

/** Where it could put functions that the statements of others may call, and the jobs of the queue. */
async function places({ kysely }: Transaction, reader: StoredReader): Promise<readonly OtherRight[]> {
  const { rows } = await sql<Found<{ kind: string; privilege: string; name: string }>>`
    select ${named}, place.kind, place.privilege, place.name
      from (
        select 'schema' as kind, n.oid, n.nspname as name,
               case n.nspname when 'headcount_queue' then 'usage' else 'create' end as privilege
          from pg_namespace n
         where n.nspname in ('headcount', 'headcount_internal', 'headcount_queue', 'public')
        union all
        select 'database', d.oid, d.datname, 'create' from pg_database d where d.datname = current_database()
      ) place
     ${holders(reader, true)}
     where case place.kind
             when 'schema' then has_schema_privilege(holder.name, place.oid, place.privilege)
             else has_database_privilege(holder.name, place.oid, place.privilege)
           end
       -- What is granted to the role itself in these two, the plan takes away.
       and (holder.name <> ${reader.role_name} or place.name not in ('headcount', 'headcount_internal') or place.kind = 'database')
     order by ${nearest}, place.kind desc, place.name
     limit 1`.execute(kysely)
  return rows.map(({ kind, privilege, name, ...by }) => ({
    ...by,
    right:
      kind === 'database'
        ? `create schemas in database ${name}`
        : `${privilege === 'create' ? 'create functions in' : 'use'} schema ${name}`,
    remedy: `revoke ${privilege} on ${kind} ${identifier(name)}`,
  }))
}
