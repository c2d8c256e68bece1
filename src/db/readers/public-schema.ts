/** The schema `public`: functions that another role puts there run with the rights of whoever calls them. */
import type { Transaction } from '../transaction.ts'

/**
 * Who besides its owner and this role may create there: a role, `public` for everybody, or null for nobody. Asked anew each time,
 * for a process may live for months.
 *
 * @throws DatabaseError
 */
export async function creatorInPublic({ query }: Pick<Transaction, 'query'>): Promise<string | null> {
  const { rows } = await query(
    `select coalesce(role.rolname, 'public')
       from pg_namespace n
      cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) granted
       left join pg_roles role on role.oid = granted.grantee
      where n.nspname = 'public' and granted.privilege_type = 'CREATE'
        and granted.grantee <> n.nspowner and role.rolname is distinct from current_user
      order by granted.grantee limit 1`,
  )
  return rows[0] === undefined ? null : String(rows[0][0])
}
