/** TLS to a Postgres server: the parameters of a database URL mean what they mean to libpq. */
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import type { Client } from 'pg'
import { UsageError } from '../../common/errors.ts'
import { isLoopback } from '../../common/listen.ts'
import { cannotRead } from '../../common/text/cannot-read.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { hostOf } from './connection-url.ts'

/** libpq's, and the last one, which is pg's name for `require`. */
const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const weakModes = ['disable', 'allow', 'prefer']
const negotiations = ['postgres', 'direct']
const channelBindings = ['disable', 'prefer', 'require']
const fileParameters = ['sslrootcert', 'sslcert', 'sslkey']
/** The value of `sslrootcert` for the authorities that the system trusts. */
const SYSTEM = 'system'

/** The values of `ssl`, which other drivers have in place of `sslmode`. */
const valuesOfSsl: Readonly<Record<string, string>> = {
  true: 'verify-full',
  1: 'verify-full',
  false: 'disable',
  0: 'disable',
}

/**
 * Checks the parameters for TLS, and writes them as pg is to read them. Without any, a server on another machine is asked for TLS
 * (`sslmode=prefer`); on the way to one on this machine nobody listens.
 *
 * @throws UsageError for an unknown mode, one that another parameter forbids, and a file that cannot be read
 */
export function withTlsParameters(url: URL): URL {
  const whole = new URL(url)
  const { searchParams } = whole
  // As to libpq, an empty one is none.
  for (const name of fileParameters) if (searchParams.get(name) === '') searchParams.delete(name)
  const mode = modeOf(whole)
  requireKnown('sslmode', mode, modes)
  requireFitting(mode, whole)
  // Without the parameter the authorities that Node trusts are.
  if (searchParams.get('sslrootcert') === SYSTEM) searchParams.delete('sslrootcert')
  for (const name of fileParameters) requireReadable(name, searchParams.get(name))
  searchParams.delete('ssl')
  // libpq would try without TLS first, and then with it.
  searchParams.set('sslmode', mode === 'allow' ? 'prefer' : mode)
  // Without it pg takes `require` for `verify-full`, and warns.
  if (mode !== 'no-verify') searchParams.set('uselibpqcompat', 'true')
  return whole
}

function modeOf(url: URL): string {
  const { searchParams } = url
  const mode = searchParams.get('sslmode') ?? ''
  if (mode !== '') return mode
  const ssl = searchParams.get('ssl') ?? ''
  if (ssl !== '') return valuesOfSsl[ssl] ?? ssl
  const isWanted = isDirect(searchParams) || fileParameters.some((name) => searchParams.has(name))
  if (isWanted) return 'verify-full'
  // guard: TLS to other machines
  if (isOnThisMachine(url) && !needsChannelBinding(url)) return 'disable'
  return 'prefer'
}

function requireKnown(name: string, value: string, known: readonly string[]): void {
  if (known.includes(value)) return
  throw new UsageError(
    `The database URL has an unknown ${name}, ${value}${didYouMean(value, known)}. Write one of ${known.join(', ')}.`,
  )
}

/** As libpq refuses them. */
function requireFitting(mode: string, url: URL): void {
  const { searchParams } = url
  const rootCertificate = searchParams.get('sslrootcert')
  if (mode === 'verify-ca' && rootCertificate === null)
    throw new UsageError(
      'sslmode=verify-ca in the database URL needs sslrootcert=<file>, the certificate of the authority. For a public authority write sslmode=verify-full.',
    )
  requireKnown('sslnegotiation', searchParams.get('sslnegotiation') || 'postgres', negotiations)
  requireKnown('channel_binding', searchParams.get('channel_binding') || 'prefer', channelBindings)
  if (needsChannelBinding(url) && mode === 'disable')
    throw new UsageError(
      'channel_binding=require in the database URL needs TLS, and sslmode=disable is none: write sslmode=require, verify-ca or verify-full.',
    )
  if (isDirect(searchParams) && weakModes.includes(mode))
    throw new UsageError(
      `sslnegotiation=direct in the database URL needs TLS, and sslmode=${mode} does not: write sslmode=require, verify-ca or verify-full.`,
    )
  if (rootCertificate === SYSTEM && mode !== 'verify-full')
    throw new UsageError(
      `sslrootcert=system in the database URL needs sslmode=verify-full, not ${mode}: anybody has a certificate of a public authority, so the name of the host must be checked.`,
    )
}

function requireReadable(name: string, path: string | null): void {
  if (path === null) return
  try {
    // Not its rights alone: pg would say of a folder neither the name of the parameter nor the path.
    return void readFileSync(path)
  } catch (error) {
    throw new UsageError(`${name} of the database URL: ${cannotRead(path, error)}`, { cause: error })
  }
}

/** Whether only a server may be connected that binds the authentication to the TLS connection. */
export function needsChannelBinding({ searchParams }: URL): boolean {
  return searchParams.get('channel_binding') === 'require'
}

function isDirect(searchParams: URLSearchParams): boolean {
  return searchParams.get('sslnegotiation') === 'direct'
}

/** Over a socket of the file system, or a loopback address. */
function isOnThisMachine(url: URL): boolean {
  const host = hostOf(url)
  return host === '' || host.startsWith('/') || host === '::1' || isLoopback(host)
}

/** What pg has, and its types have not. */
interface Negotiation {
  readonly connect: (port: number, host: string) => void
  readonly attachListeners: (stream: Duplex) => void
}

/**
 * pg gives a connection up where the server has no TLS. Under `sslmode=prefer` it continues without, as in libpq: the server has answered
 * the request for TLS with `N`, and waits for the start-up message.
 */
export function continueWithoutTls({ connection }: Pick<Client, 'connection'>): void {
  const { connect, attachListeners } = connection as typeof connection & Negotiation
  Reflect.set(connection, 'connect', (port: number, host: string) => {
    connect.call(connection, port, host)
    const { stream } = connection
    const [negotiate] = stream.listeners('data')
    stream.removeAllListeners('data')
    stream.once('data', (answer: Buffer) => {
      if (answer.toString('latin1') === 'N') {
        attachListeners.call(connection, stream)
        connection.emit('sslconnect')
      } else negotiate?.(answer)
    })
  })
}
