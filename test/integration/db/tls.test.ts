/** A Postgres with TLS and without: what the database URL says about it means what it means to psql. */
import { rm, writeFile } from 'node:fs/promises'
import { connect as connectTo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sync, verify } from '../../../src/index.ts'
import { UsageError } from '../../../src/common/errors.ts'
import { connect } from '../../../src/db/connect.ts'
import { accountOf } from '../../support/accounts/account.ts'
import { startPostgres } from '../../support/databases/postgres.ts'
import { makeOwnFolder } from '../../support/files/leftovers.ts'
import { selfSigned } from '../../support/http/certificate.ts'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import { listenOnLoopback } from '../../support/http/loopback.ts'
import { testKey } from '../../support/http/reading.ts'

/** Reaches this machine, and is no loopback address to the program: as a server elsewhere. */
const ELSEWHERE = '0.0.0.0'

let server: Awaited<ReturnType<typeof startPostgres>>
let admin: Client
let folder: string

beforeAll(async () => {
  folder = await makeOwnFolder(tmpdir(), 'test-tls')
  server = await startPostgres()
  admin = new Client({ connectionString: `${server.url}/postgres` })
  await admin.connect()
})

afterAll(async () => {
  await admin.end()
  await server.stop()
  await rm(folder, { recursive: true })
})

function urlOf(host: string, parameters: string): string {
  const url = new URL(`${server.url}/mirror_template`)
  url.hostname = host
  url.search = parameters.replaceAll('<folder>', folder)
  return url.href
}

async function isEncrypted(host: string, parameters = ''): Promise<unknown> {
  await using database = await connect(urlOf(host, parameters))
  const { rows } = await database.transaction((trx) =>
    trx.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()'),
  )
  return rows[0]?.[0]
}

/** Into the server's data directory, as a file that only the server may read. */
async function putFile(name: string, text: string): Promise<void> {
  await admin.query(
    `copy (select unnest(string_to_array('${text.trim()}', E'\\n'))) to program 'umask 077; cat > ${name}'`,
  )
}

async function reload(isInForce: () => Promise<boolean>): Promise<void> {
  await admin.query('select pg_reload_conf()')
  await vi.waitFor(async () => expect(await isInForce()).toBe(true), { timeout: 30_000 })
}

/** Answers as a server with TLS and a certificate of its own, and hands everything on to the one at the port, over TLS. */
function endTlsBetween(port: number) {
  const context = createSecureContext(selfSigned({ dnsNames: ['localhost'] }))
  return listenOnLoopback(
    createServer((client) => {
      client.once('data', (question: Buffer) => {
        const server = connectTo({ port, host: '127.0.0.1' })
        server.write(question)
        server.once('data', (answer: Buffer) => {
          client.write(answer)
          const inside = new TLSSocket(client, { isServer: true, secureContext: context })
          const outside = connectTls({ socket: server, rejectUnauthorized: false })
          pipeline(inside, outside, inside).catch(() => client.destroy())
        })
      })
    }),
  )
}

test.each([
  [ELSEWHERE, ''],
  [ELSEWHERE, '?sslmode=prefer'],
  ['127.0.0.1', '?sslmode=prefer'],
  ['127.0.0.1', '?sslmode=allow'],
  [ELSEWHERE, '?sslmode=disable'],
])('a server without TLS: %s%s is connected without', async (host, parameters) => {
  expect(await isEncrypted(host, parameters)).toBe(false)
})

test('a server without TLS: channel_binding=require fails', async () => {
  await expect(isEncrypted('127.0.0.1', '?channel_binding=require')).rejects.toThrow(
    /channel_binding=require, and the server does not authenticate by SCRAM-SHA-256-PLUS\. The server needs TLS/,
  )
})

test.each([
  ['channel_binding=required', /unknown channel_binding, required \(did you mean require\?\)/],
  ['sslmode=disable&channel_binding=require', /needs TLS, and sslmode=disable is none/],
])('%s is refused', async (parameters, message) => {
  const error = await connect(urlOf('127.0.0.1', `?${parameters}`)).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect((error as Error).message).toMatch(message)
})

test.each(['require', 'verify-full', 'no-verify'])('a server without TLS: sslmode=%s fails', async (mode) => {
  await expect(isEncrypted('127.0.0.1', `?sslmode=${mode}`)).rejects.toThrow(
    /does not support SSL connections\. Switch TLS on in the server; without it, sslmode=disable in the database URL/,
  )
})

test.each(['HTTP/1.1 400 Bad Request\r\n\r\n', 'Sx', 'NR'])(
  'what answers the request for TLS with %j is no Postgres',
  async (answer) => {
    await using other = await listenOnLoopback(
      createServer((socket) => socket.once('data', () => socket.end(answer))),
    )
    await expect(
      connect(`postgres://ada:secret@127.0.0.1:${other.port}/mirror?sslmode=prefer`),
    ).rejects.toThrow(/may be no Postgres: check the host and port/)
  },
)

describe('a server with TLS', () => {
  beforeAll(async () => {
    const { key, cert } = selfSigned({ dnsNames: ['localhost'] })
    await writeFile(join(folder, 'authority.crt'), cert)
    await writeFile(join(folder, 'other.crt'), selfSigned({ dnsNames: ['localhost'] }).cert)
    await putFile('server.key', key)
    await putFile('server.crt', cert)
    await admin.query('alter system set ssl = on')
    await reload(async () => (await isEncrypted('127.0.0.1', '?sslmode=prefer')) === true)
  })

  test.each([
    [ELSEWHERE, '', true],
    ['localhost', '', false],
    ['127.0.0.1', '', false],
    [ELSEWHERE, '?sslmode=disable', false],
    ['127.0.0.1', '?sslmode=allow', true],
    ['127.0.0.1', '?sslmode=require', true],
    ['127.0.0.1', '?sslmode=no-verify', true],
    ['127.0.0.1', '?sslmode=require&channel_binding=require', true],
    ['127.0.0.1', '?channel_binding=require', true],
    ['127.0.0.1', '?sslmode=disable&channel_binding=prefer', false],
    ['127.0.0.1', '?sslmode=require&sslnegotiation=direct', true],
    ['127.0.0.1', '?sslmode=verify-ca&sslrootcert=<folder>/authority.crt', true],
    ['localhost', '?sslmode=verify-full&sslrootcert=<folder>/authority.crt', true],
    ['localhost', '?sslrootcert=<folder>/authority.crt', true],
  ])('%s%s: the connection is encrypted: %s', async (host, parameters, encrypted) => {
    expect(await isEncrypted(host, parameters)).toBe(encrypted)
  })

  test.each([
    ['localhost', '?sslmode=verify-full', /self-signed certificate.*sslrootcert=…/],
    ['localhost', '?sslmode=verify-full&sslrootcert=system', /self-signed certificate/],
    ['localhost', '?ssl=true', /self-signed certificate/],
    ['localhost', '?sslmode=verify-ca&sslrootcert=<folder>/other.crt', /certificate/],
    ['localhost', '?sslmode=require&sslrootcert=<folder>/other.crt', /certificate/],
    [
      ELSEWHERE,
      '?sslmode=verify-full&sslrootcert=<folder>/authority.crt',
      /for another name: check the host/,
    ],
  ])('%s%s refuses the certificate', async (host, parameters, message) => {
    await expect(isEncrypted(host, parameters)).rejects.toThrow(message)
  })

  test('somebody between who ends TLS can read along, but for channel_binding=require', async () => {
    await using between = await endTlsBetween(Number(new URL(server.url).port))
    const over = (parameters: string) => {
      const url = new URL(urlOf('127.0.0.1', parameters))
      url.port = String(between.port)
      return connect(url.href)
    }
    await using known = await over('?sslmode=require')
    expect(known.engine).toBe('postgres')
    await expect(over('?sslmode=require&channel_binding=require')).rejects.toThrow(
      /SCRAM channel binding check failed\. TLS ends before the server/,
    )
  })

  test('a run and verify over TLS', async () => {
    const account = accountOf({ gala: 300, picnic: 2 })
    await using service = await startFaultServer()
    service.always(send((request) => account.answer(request)))
    await admin.query('create database over_tls template mirror_template')
    const options = {
      apiKey: testKey,
      baseUrl: service.baseUrl.href,
      database: urlOf(ELSEWHERE, '').replace('mirror_template', 'over_tls'),
    }
    expect(await sync(options)).toMatchObject({ status: 'succeeded' })
    expect(await verify(options)).toMatchObject({ status: 'equal' })
  })

  test.each(['password', 'trust'])(
    'that authenticates by %s: channel_binding=require fails',
    async (method) => {
      await putFile('pg_hba.conf', `host all all all ${method}`)
      await reload(() =>
        isEncrypted('127.0.0.1', '?sslmode=require&channel_binding=require').then(
          () => false,
          ({ message }: Error) => message.includes('does not authenticate by SCRAM-SHA-256-PLUS'),
        ),
      )
      expect(await isEncrypted('127.0.0.1', '?sslmode=require')).toBe(true)
    },
  )

  describe('that refuses connections without', () => {
    beforeAll(async () => {
      await putFile('pg_hba.conf', 'hostssl all all all scram-sha-256')
      await reload(() =>
        isEncrypted('127.0.0.1').then(
          () => false,
          () => true,
        ),
      )
    })

    test('is reached from elsewhere without a word in the URL', async () => {
      expect(await isEncrypted(ELSEWHERE)).toBe(true)
    })

    test('says what to write where TLS is not asked for', async () => {
      await expect(isEncrypted('127.0.0.1')).rejects.toThrow(
        /no encryption\. Where the server wants TLS, write sslmode=require, or verify-full, into the database URL/,
      )
    })
  })
})
