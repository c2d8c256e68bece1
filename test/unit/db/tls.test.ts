import { expect, test } from 'vitest'
import { UsageError } from '../../../src/common/errors.ts'
import { withTlsParameters } from '../../../src/db/postgres/tls.ts'

const here = import.meta.filename

test.each([
  // Without a word on TLS: asked for on the way to another machine.
  ['postgres://a@db.example/m', 'prefer'],
  ['postgres://a@10.0.0.7/m', 'prefer'],
  ['postgres:///m?host=db.example', 'prefer'],
  ['postgres://a@db.example/m?sslmode=', 'prefer'],
  ['postgres://a@[2001:db8::1]/m', 'prefer'],
  ['postgres://a@localhost/m', 'disable'],
  ['postgres://a@127.0.0.1/m', 'disable'],
  ['postgres://a@[::1]/m', 'disable'],
  ['postgres:///m', 'disable'],
  ['postgres://%2Frun%2Fpostgresql/m', 'disable'],
  ['postgres:///m?host=/run/postgresql', 'disable'],
  // As it is written.
  ['postgres://a@db.example/m?sslmode=disable', 'disable'],
  ['postgres://a@localhost/m?sslmode=prefer', 'prefer'],
  ['postgres://a@localhost/m?sslmode=allow', 'prefer'],
  ['postgres://a@localhost/m?sslmode=require', 'require'],
  ['postgres://a@localhost/m?sslmode=no-verify', 'no-verify'],
  [`postgres://a@localhost/m?sslmode=verify-ca&sslrootcert=${here}`, 'verify-ca'],
  ['postgres://a@localhost/m?sslmode=verify-full', 'verify-full'],
  // As other drivers write it.
  ['postgres://a@localhost/m?ssl=true', 'verify-full'],
  ['postgres://a@localhost/m?ssl=1', 'verify-full'],
  ['postgres://a@db.example/m?ssl=false', 'disable'],
  ['postgres://a@db.example/m?ssl=0', 'disable'],
  ['postgres://a@localhost/m?ssl=require', 'require'],
  ['postgres://a@localhost/m?ssl=false&sslmode=require', 'require'],
  // By what only TLS needs.
  [`postgres://a@localhost/m?sslrootcert=${here}`, 'verify-full'],
  ['postgres://a@localhost/m?sslrootcert=system', 'verify-full'],
  // An empty one says nothing.
  ['postgres://a@localhost/m?sslrootcert=', 'disable'],
  ['postgres://a@db.example/m?sslmode=require&sslrootcert=&sslcert=&sslkey=', 'require'],
  ['postgres://a@localhost/m?sslnegotiation=direct', 'verify-full'],
])('%s asks for TLS by sslmode=%s', (url, mode) => {
  const { searchParams } = withTlsParameters(new URL(url))
  expect(searchParams.get('sslmode')).toBe(mode)
  // pg's own meaning of `require` is another.
  expect(searchParams.get('uselibpqcompat')).toBe(mode === 'no-verify' ? null : 'true')
  expect(searchParams.has('ssl')).toBe(false)
  expect(searchParams.get('sslrootcert')).not.toBe('system')
})

test.each([
  ['sslmode=required', 'unknown sslmode, required (did you mean require?)'],
  ['sslmode=Verify-Full', 'did you mean verify-full?'],
  ['ssl=on', 'Write one of disable, allow, prefer, require, verify-ca, verify-full, no-verify.'],
  [
    'sslnegotiation=dircet',
    'unknown sslnegotiation, dircet (did you mean direct?). Write one of postgres, direct.',
  ],
  ['sslmode=verify-ca', 'needs sslrootcert=<file>'],
  ['sslmode=require&sslrootcert=system', 'needs sslmode=verify-full, not require'],
  ['sslmode=prefer&sslnegotiation=direct', 'write sslmode=require, verify-ca or verify-full'],
  [
    'sslmode=require&sslrootcert=/nowhere/ca.crt',
    'sslrootcert of the database URL: cannot read "/nowhere/ca.crt" (ENOENT)',
  ],
  ['sslmode=verify-full&sslrootcert=/', 'sslrootcert of the database URL: cannot read "/" (EISDIR)'],
  ['sslmode=verify-ca&sslrootcert=', 'needs sslrootcert=<file>'],
  ['sslmode=require&sslcert=/nowhere/a.crt', 'sslcert of the database URL: cannot read'],
  ['sslmode=require&sslkey=/nowhere/a.key', 'sslkey of the database URL: cannot read'],
])('%s is refused with what to write', (parameters, message) => {
  const given = () => withTlsParameters(new URL(`postgres://a:secret@db.example/m?${parameters}`))
  expect(given).toThrow(UsageError)
  expect(given).toThrow(message)
  expect(given).not.toThrow('secret')
})
