/** `channel_binding=require` of a database URL: the server proves that it knows the password, and that TLS ends at itself. */
import type { Client } from 'pg'

/** Authentication that is bound to the certificate of the TLS connection: RFC 5929, `tls-server-end-point`. */
const BOUND_MECHANISM = 'SCRAM-SHA-256-PLUS'

/** What pg has, and its types have not. */
interface AuthenticationRequest {
  readonly mechanisms: readonly string[]
}

/**
 * Refuses every other authentication of the server before a password is sent, as libpq does. pg alone would take whatever the server
 * asks for, a password in clear text too.
 */
export function requireChannelBinding(client: Client): void {
  const { connection } = client
  Reflect.set(client, 'enableChannelBinding', true)
  let isBound = false
  const refuse = () => {
    // In the order of the packet pg would become ready next.
    connection.removeAllListeners('readyForQuery')
    connection.emit(
      'error',
      new Error(
        `the database URL says channel_binding=require, and the server does not authenticate by ${BOUND_MECHANISM}. The server needs TLS and passwords of scram-sha-256, and no proxy between that ends TLS, as PgBouncer does; where you trust the way to it, leave the parameter out`,
      ),
    )
    connection.stream.destroy()
  }
  connection.on('authenticationSASL', ({ mechanisms }: AuthenticationRequest) => {
    // guard: channel binding
    if (!mechanisms.includes(BOUND_MECHANISM)) refuse()
  })
  for (const other of ['authenticationCleartextPassword', 'authenticationMD5Password'])
    connection.on(other, refuse)
  // pg checks the signature of the server in it next, and ends the connection where it is wrong.
  connection.on('authenticationSASLFinal', () => (isBound = true))
  connection.on('authenticationOk', () => {
    if (!isBound) refuse()
  })
}
