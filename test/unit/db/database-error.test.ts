import { expect, test } from 'vitest'
import { toDatabaseError } from '../../../src/db/errors/database-error.ts'
import { isConnectionLost } from '../../../src/db/errors/sqlstate.ts'
import {
  TransactionConflictError,
  DatabaseError,
  TransactionFailedError,
} from '../../../src/common/errors.ts'

const errorOf = (code: string) => toDatabaseError(Object.assign(new Error('said'), { code }), 'Postgres')

test.each(['22012', '22P05', '23514', '25P03', '25P04', '40P01', '53200', '54000', '55P03', '57014'])(
  'P21 %s is the fault of one transaction',
  (code) => {
    expect(errorOf(code)).toBeInstanceOf(TransactionFailedError)
    expect(errorOf(code) instanceof TransactionConflictError).toBe(code === '40P01')
  },
)

test.each(['08006', '25006', '42501', '53100', '53300', '57P01', '57P02', '57P03', 'ECONNRESET', 'XX001'])(
  '%s says that the database cannot be used',
  (code) => {
    expect(errorOf(code)).toBeInstanceOf(DatabaseError)
    expect(errorOf(code)).not.toBeInstanceOf(TransactionFailedError)
  },
)

test('53400 has a remedy', () => {
  expect(errorOf('53400').message).toMatch(/raise temp_file_limit or work_mem/)
})

test('D5 a server whose disk is full lets nobody in, and gives no code for it', () => {
  const refused = Object.assign(new Error('could not write init file'), { code: 'XX000', severity: 'FATAL' })
  expect(toDatabaseError(refused, 'Postgres').message).toMatch(
    /disk of the database server is full: free space/,
  )
})

test('D6 25006 has a remedy for a standby and one for a role that only reads', () => {
  expect(errorOf('25006').message).toMatch(/standby: use the primary server.*only reads.*use the role/)
})

test.each(['ProcessInterrupts', 'ProcessRecoveryConflictInterrupt'])(
  'a query that a standby ended has a remedy of its own, in any language (%s)',
  (routine) => {
    const ended = { code: '40001', routine, severity: 'ERROR' }
    const cause = Object.assign(new Error('annulation à cause d’un conflit'), ended)
    const error = toDatabaseError(cause, 'Postgres')
    expect(error).toBeInstanceOf(TransactionConflictError)
    expect(error.message).toMatch(/conflit\. The standby .* try again, .*hot_standby_feedback/)
    expect(errorOf('40001').message).toMatch(/Another transaction was in the way/)
  },
)

test('a connection is lost behind an error that the server calls fatal, whatever its code', () => {
  const conflict = (severity: string) =>
    toDatabaseError(Object.assign(new Error('said'), { code: '40001', severity }), 'Postgres')
  expect(isConnectionLost(conflict('FATAL'))).toBe(true)
  expect(isConnectionLost(conflict('ERROR'))).toBe(false)
})

test.each([
  [{ name: 'ErrnoError', errno: 54 }, 'ErrnoError 54'],
  [{}, 'an error without a message'],
  ['a text', 'a text'],
])('what is thrown that is no Error is named: %j', (thrown, text) => {
  expect(toDatabaseError(thrown, 'PGlite').message).toBe(`PGlite: ${text}`)
})

test('what is missing is a socket where a connection failed, and nowhere else', () => {
  const missing = (text: string) =>
    toDatabaseError(Object.assign(new Error(`${text} '/a/b'`), { code: 'ENOENT' }), 'PGlite in /a/b').message
  expect(missing('connect ENOENT')).toMatch(/\/a\/b'\. Check the path of the socket in the database URL$/)
  expect(missing('ENOENT: no such file or directory, mkdir')).toMatch(/mkdir '\/a\/b'$/)
})

test('a database that a role may not connect to is no matter for doctor, who cannot ask it anything', () => {
  const refused = Object.assign(new Error('permission denied for database "events"'), { code: '42501' })
  expect(toDatabaseError(refused, 'Postgres').message).toMatch(/grant connect on database … to …$/)
  expect(errorOf('42501').message).toContain('doctor says what is lacking')
})
