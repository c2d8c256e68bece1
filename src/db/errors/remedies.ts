/** What to do about an error of a database. */
import { commandName } from '../../common/command-name.ts'
import {
  CANCELLED,
  connectionLost,
  connectTimeout,
  INSUFFICIENT_PRIVILEGE,
  LOCK_NOT_AVAILABLE,
  READ_ONLY,
  tableOfTakenNumber,
  UNDEFINED_COLUMN,
  UNDEFINED_TABLE,
} from './sqlstate.ts'

/** `foreign` is the function of somebody else that the error was thrown in. */
interface Fault {
  readonly code: string
  readonly message: string
  readonly foreign: string | null
}

export function remedyOf(error: unknown, { code, message, foreign }: Fault): string | null {
  if (foreign !== null && isHiddenByPolicy(code, message))
    return `Let the policies hold in that function: alter function ${foreign} set row_security = on`
  return (
    remedyOfNumber(error) ??
    remedyOfCode(code, message) ??
    (foreign === null ? null : remedyOfFunction(foreign, code))
  )
}

/** With `row_security = off`, as runs have it. */
function isHiddenByPolicy(code: string, message: string): boolean {
  return code === INSUFFICIENT_PRIVILEGE && message.includes('row-level security policy')
}

function remedyOfNumber(error: unknown): string | null {
  const table = tableOfTakenNumber(error)
  if (table === null) return null
  return `The sequence of headcount.${table} stands behind its rows, as in a database to which logical replication copied them: docs/operate/upkeep.md (Failover and copies by other programs) has the statement that sets all sequences`
}

function remedyOfFunction(name: string, code: string): string {
  if ([UNDEFINED_TABLE, '42883', '42704'].includes(code))
    return `Let it name tables, functions and types with their schemas, or give it a path: alter function ${name} set search_path = public, pg_temp`
  return 'It is no function of headcount: mend it, or drop the trigger that calls it'
}

const unreachable = 'Check that the server runs, and the host and port of the database URL'
const startsSoon = 'The server is stopping or starting: try again when it is up'
const certificate =
  'The certificate of the server is not trusted: name its authority with sslrootcert=… in the database URL'

const serverDiskFull = 'The disk of the database server is full: free space, then run again'

const addedByOthers =
  'Where somebody added that constraint or column to the table, drop it, or let it allow what the service sends'

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'Check the rights on the folder, or name another one',
  EMFILE: 'Too many files and connections are open in this process: raise the limit (ulimit -n)',
  ENOSPC: 'The disk is full: free space, then run again',
  EROFS: 'The folder cannot be written to: name another one',
  ECONNREFUSED: unreachable,
  ECONNRESET: 'The server closed the connection: see its log',
  EPIPE: 'The server closed the connection: see its log',
  ENOTFOUND: 'The name of the host is not known: check the database URL',
  EAI_AGAIN: 'The name of the host could not be looked up: check the network and the database URL',
  ETIMEDOUT: unreachable,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  CERT_HAS_EXPIRED: 'The certificate of the server has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'The certificate of the server is for another name: check the host of the database URL',
  SELF_SIGNED_CERT_IN_CHAIN: certificate,
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate,
  [READ_ONLY]:
    'Nothing can be written over this connection. On a standby: use the primary server. With a role that only reads, as readers add makes it: use the role that writes the mirror. Else default_transaction_read_only is on; doctor says where',
  '23502': addedByOthers,
  '23503':
    'A table of yours refers to rows of the mirror, which go when the service deletes them: give its foreign key on delete cascade, or on delete set null',
  '23505': addedByOthers,
  '23514': addedByOthers,
  '25P04': 'The transaction was open for longer than transaction_timeout of the server allows',
  '25P03': 'The transaction stood idle for too long: this program was stopped or the machine is overloaded',
  '28000': 'Check the user and sslmode of the database URL, and the host rules (pg_hba.conf)',
  '28P01':
    'Check user and password of the database URL. After the password was changed: a worker or serve reads it anew from DATABASE_URL_FILE, and has to be restarted where the URL comes from elsewhere',
  '3D000': 'Create the database first, or check its name in the database URL',
  '53100': serverDiskFull,
  '53200': 'The database server is out of memory',
  '53300':
    'No connection is left: raise max_connections, or the CONNECTION LIMIT of the role or the database where it has one, or use a connection pooler',
  '53400':
    'The server bounds the temporary files of a session: raise temp_file_limit or work_mem of the role or the database, or ask for less at once',
  [LOCK_NOT_AVAILABLE]:
    'Another session holds a lock on the table for too long: find it in pg_stat_activity, then run again',
  [CANCELLED]: 'The statement took too long or was cancelled',
  '57P01': startsSoon,
  '57P02': startsSoon,
  '57P03': startsSoon,
  '57P05': 'The server closed an idle session',
}

/** What a migration meets where a tool made its tables and views in the schema of the mirror. */
const nameIsTaken = (code: string, message: string) =>
  code === '42P07' ||
  (code === '42P16' && message.startsWith('cannot change name of view column ')) ||
  (code === '42809' && message.endsWith(' is not a view'))

function remedyOfCode(code: string, message: string): string | null {
  if (nameIsTaken(code, message))
    return 'The schema headcount holds a table or view of this name that headcount did not make: move it to another schema (alter table … set schema …), or mirror into another database'
  // Nothing can be asked there, by doctor neither.
  if (code === INSUFFICIENT_PRIVILEGE && message.startsWith('permission denied for database '))
    return 'Its owner, or a superuser, lets the role of the database URL in: grant connect on database … to …'
  if (isHiddenByPolicy(code, message))
    return `Row security hides rows of the mirror from the role of the database URL: use the role that owns the schema headcount, on whose tables row security is not forced, or one with BYPASSRLS. ${commandName()} doctor names the tables`
  if (code === INSUFFICIENT_PRIVILEGE)
    return `Grant what is lacking to the role of the database URL, or use the role that owns the schema headcount: ${commandName()} doctor says what is lacking. A role that readers add made may use query and export`
  if (code === UNDEFINED_COLUMN) return `${commandName()} doctor says whether somebody dropped it`
  // A server on a socket of the file system; of a folder the message has the path.
  if (code === 'ENOENT' && message.startsWith('connect '))
    return 'Check the path of the socket in the database URL'
  if (code === '28000' && message.endsWith(', no encryption'))
    return 'Where the server wants TLS, write sslmode=require, or verify-full, into the database URL; else check its user and the host rules (pg_hba.conf)'
  if (message.startsWith('SCRAM channel binding check failed'))
    return 'TLS ends before the server: a proxy between, or somebody who reads along, has a certificate of its own'
  // The server ends each new connection with these words, and with no code of their own.
  if (message === 'could not write init file') return serverDiskFull
  const remedy = remedies[code]
  if (remedy !== undefined) return remedy
  if (code.startsWith('08')) return unreachable
  if (connectTimeout.test(message)) return unreachable
  if (connectionLost.test(message)) return 'The connection to the server was lost: see its log'
  // pg's words for any answer to the request for TLS but yes and no.
  if (message.includes('error establishing an SSL connection'))
    return 'What answers there may be no Postgres: check the host and port of the database URL'
  if (/does not support SSL/i.test(message))
    return 'Switch TLS on in the server; without it, sslmode=disable in the database URL'
  return null
}
