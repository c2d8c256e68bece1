import { DatabaseError } from '../../common/errors.ts'
import type { Session } from './session.ts'

/**
 * A database holds text in the encoding that it was created with. LATIN1 cannot hold every name, and SQL_ASCII takes
 * any bytes and checks none.
 *
 * @throws DatabaseError when it is another one than UTF8
 */
export async function requireUtf8({ query }: Pick<Session, 'query'>, label: string): Promise<void> {
  const { rows } = await query('show server_encoding')
  const encoding = String(rows[0]?.[0])
  // guard: encoding
  if (encoding === 'UTF8') return
  throw new DatabaseError(
    `${label}: the encoding of this database is ${encoding}, and a mirror needs UTF8; nothing was written. Create another database and name it in the database URL: create database … encoding 'UTF8' template template0`,
  )
}
