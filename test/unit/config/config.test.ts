import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  environmentFaults,
  noColour,
  readConfig,
  readServiceConfig,
  type Flags,
} from '../../../src/config/config.ts'
import type { Environment } from '../../../src/config/secrets.ts'
import { ConfigurationError } from '../../../src/common/errors.ts'

const complete: Environment = {
  HEADCOUNT_BASE_URL: 'https://events.example/api/v1',
  HEADCOUNT_API_KEY: 'canary-key',
}

/** The faults that these settings have, or none. */
async function faultsOf(environment: Environment, flags: Flags = {}): Promise<readonly string[]> {
  try {
    await readServiceConfig(flags, { ...complete, ...environment })
    return []
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults
    throw error
  }
}

function fileHolding(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'headcount-config-')), 'secret')
  writeFileSync(path, text)
  return path
}

test('every setting has its default', async () => {
  expect(await readServiceConfig({}, complete)).toEqual({
    logLevel: 'info',
    logFormat: null,
    account: null,
    newAccount: false,
    personKey: null,
    database: { target: 'pglite:./headcount-data', isDefault: true },
    service: {
      baseUrl: new URL('https://events.example/api/v1'),
      apiKey: 'canary-key',
      apiKeyFrom: 'HEADCOUNT_API_KEY',
      allowHttp: false,
      proxy: null,
    },
    run: {
      concurrency: 8,
      requestTimeoutMs: 60_000,
      runTimeoutMs: null,
      maxBodyBytes: 1024 ** 3,
      maxStalenessMs: 7 * 86_400_000,
      holdForMs: 3_600_000,
      forgetAfterMs: null,
      leaveOut: [],
      pseudonymise: [],
    },
    pool: { runs: 4, connections: null },
    worker: {
      schedule: '*/15 * * * *',
      timezone: 'UTC',
      healthPort: null,
      healthHost: '127.0.0.1',
      keepOpen: false,
      queue: false,
      runsPerHost: 4,
    },
    serve: { host: '127.0.0.1', port: 8080, publicUrl: null, accessLog: false },
    notify: {
      mail: null,
      mailServerIsSet: false,
      digestTo: [],
      digestSchedule: null,
      digestWithPersonal: false,
      notifyTo: [],
      proxyFor: expect.any(Function),
    },
  })
})

test('every setting is read from its variable', async () => {
  const config = await readServiceConfig(
    {},
    {
      ...complete,
      HEADCOUNT_ALLOW_HTTP: '1',
      HEADCOUNT_SMTP_URL: 'smtps://me:p%40ss@mail.example.org',
      HEADCOUNT_MAIL_FROM: 'Club <club@example.org>',
      HEADCOUNT_DIGEST_TO: 'mailto:ada@example.org',
      HEADCOUNT_DIGEST_SCHEDULE: '0 7 * * *',
      HEADCOUNT_DIGEST_WITH_PERSONAL: '1',
      HEADCOUNT_NOTIFY_TO: 'https://example.org/hook',
      HEADCOUNT_BASE_URL: 'http://far.example/api/v1',
      DATABASE_URL: 'postgres://user:password@db.example/mirror',
      HEADCOUNT_ACCOUNT: 'club',
      HEADCOUNT_NEW_ACCOUNT: '1',
      HEADCOUNT_CONCURRENCY: '256',
      HEADCOUNT_RUNS: '20',
      HEADCOUNT_CONNECTIONS: '60',
      HEADCOUNT_REQUEST_TIMEOUT: '250ms',
      HEADCOUNT_RUN_TIMEOUT: '15m',
      HEADCOUNT_MAX_STALENESS: '1d',
      HEADCOUNT_HOLD_FOR: '2h',
      HEADCOUNT_FORGET_AFTER: '365d',
      HEADCOUNT_PERSON_KEY_FILE: fileHolding(`${'k'.repeat(32)}\n`),
      HEADCOUNT_LEAVE_OUT: 'responses.message, slots._extra',
      HEADCOUNT_PSEUDONYMISE: 'email',
      HEADCOUNT_MAX_BODY: '500MB',
      HEADCOUNT_SCHEDULE: '0 * * * *',
      HEADCOUNT_TIMEZONE: 'Europe/Berlin',
      HEADCOUNT_HEALTH_PORT: '8081',
      HEADCOUNT_HEALTH_HOST: '0.0.0.0',
      HEADCOUNT_KEEP_OPEN: '1',
      HEADCOUNT_QUEUE: '1',
      HEADCOUNT_RUNS_PER_HOST: '9',
      HEADCOUNT_SERVE_HOST: '::1',
      HEADCOUNT_SERVE_PORT: '8082',
      HEADCOUNT_ACCESS_LOG: '1',
      HEADCOUNT_PUBLIC_URL: 'https://club.example/headcount/',
      HEADCOUNT_LOG_LEVEL: 'debug',
      HEADCOUNT_LOG_FORMAT: 'json',
    },
  )
  expect(config).toEqual({
    logLevel: 'debug',
    logFormat: 'json',
    account: 'club',
    newAccount: true,
    personKey: 'k'.repeat(32),
    database: { target: 'postgres://user:password@db.example/mirror', isDefault: false },
    service: {
      baseUrl: new URL('http://far.example/api/v1'),
      apiKey: 'canary-key',
      apiKeyFrom: 'HEADCOUNT_API_KEY',
      allowHttp: true,
      proxy: null,
    },
    run: {
      concurrency: 256,
      requestTimeoutMs: 250,
      runTimeoutMs: 900_000,
      maxBodyBytes: 500_000_000,
      maxStalenessMs: 86_400_000,
      holdForMs: 7_200_000,
      forgetAfterMs: 31_536_000_000,
      leaveOut: ['responses.message', 'slots._extra'],
      pseudonymise: ['email'],
    },
    pool: { runs: 20, connections: 60 },
    worker: {
      schedule: '0 * * * *',
      timezone: 'Europe/Berlin',
      healthPort: 8081,
      healthHost: '0.0.0.0',
      keepOpen: true,
      queue: true,
      runsPerHost: 9,
    },
    serve: { host: '::1', port: 8082, publicUrl: 'https://club.example/headcount', accessLog: true },
    notify: {
      mail: {
        server: {
          host: 'mail.example.org',
          port: 465,
          isImplicitTls: true,
          isLoopback: false,
          login: { user: 'me', password: 'p@ss' },
        },
        from: { name: 'Club', address: 'club@example.org' },
      },
      mailServerIsSet: true,
      digestTo: [{ kind: 'mail', address: 'ada@example.org' }],
      digestSchedule: '0 7 * * *',
      digestWithPersonal: true,
      notifyTo: [{ kind: 'json', url: 'https://example.org/hook' }],
      proxyFor: expect.any(Function),
    },
  })
})

test('a flag wins over its variable, which is then not looked at', async () => {
  const config = await readServiceConfig(
    { concurrency: '3', database: 'pglite:./here', baseUrl: 'https://other.example/api/v1' },
    { ...complete, HEADCOUNT_CONCURRENCY: 'many', DATABASE_URL: '' },
  )
  expect(config.run.concurrency).toBe(3)
  expect(config.database).toEqual({ target: 'pglite:./here', isDefault: false })
  expect(config.service.baseUrl.host).toBe('other.example')
})

test('the settings cannot be changed once they are read', async () => {
  const config = await readServiceConfig({}, complete)
  expect(Object.isFrozen(config) && Object.isFrozen(config.run) && Object.isFrozen(config.service)).toBe(true)
})

test('O7 every fault is named at once: an unknown variable, an empty key, values, a flag', async () => {
  const faults = await faultsOf(
    {
      HEADCOUNT_API_KEY: '',
      HEADCOUNT_CONCURENCY: '3',
      HEADCOUNT_HOLD_FOR: 'an hour',
      HEADCOUNT_MAX_BODY: '1XB',
      HEADCOUNT_TIMEZONE: 'Mars/Olympus',
      HEADCOUNT_SCHEDULE: 'sometimes',
      HEADCOUNT_HEALTH_PORT: '70000',
    },
    { requestTimeout: 'long' },
  )
  expect(faults.toSorted()).toEqual([
    expect.stringMatching(
      /^--request-timeout must be a duration .*"long" \(for example --request-timeout 60s\)$/,
    ),
    'HEADCOUNT_API_KEY is empty: give it a value or remove it',
    'HEADCOUNT_CONCURENCY is no setting of headcount (did you mean HEADCOUNT_CONCURRENCY?)',
    expect.stringMatching(/^HEADCOUNT_HEALTH_PORT must be a whole number from 0 to 65535, not "70000"/),
    expect.stringMatching(/^HEADCOUNT_HOLD_FOR must be a duration .* \(for example HEADCOUNT_HOLD_FOR=1h\)$/),
    expect.stringMatching(/^HEADCOUNT_MAX_BODY must be a size like 1GiB/),
    expect.stringMatching(/^HEADCOUNT_SCHEDULE must be a cron schedule/),
    expect.stringMatching(/^HEADCOUNT_TIMEZONE must be a time zone of the IANA list/),
  ])
})

test('a key of the suppression list that can be guessed is refused, and not quoted', async () => {
  const faults = await faultsOf({ HEADCOUNT_PERSON_KEY: 'guess me' })
  expect(faults).toEqual([
    'HEADCOUNT_PERSON_KEY must have 32 characters or more, and has 8: make one with openssl rand -hex 32',
  ])
})

test('O7 what must be given and is not is named with what to do', async () => {
  await expect(readServiceConfig({}, {})).rejects.toMatchObject({
    exitCode: 2,
    faults: [
      expect.stringMatching(/^HEADCOUNT_BASE_URL is not set: .*https:/),
      expect.stringMatching(/^HEADCOUNT_API_KEY is not set: .*HEADCOUNT_API_KEY_FILE/),
    ],
  })
})

test('a command that needs no key asks for none', async () => {
  await expect(readConfig({}, {})).resolves.toMatchObject({ logLevel: 'info' })
  await expect(readConfig({}, { HEADCOUNT_API_KEY_FILE: '/nowhere' })).resolves.toBeDefined()
})

test('an empty variable counts as not set where there is a default, and as a fault where someone meant to fill it', async () => {
  expect(
    await faultsOf({ HEADCOUNT_CONCURRENCY: '', HEADCOUNT_HEALTH_PORT: '', HEADCOUNT_ACCOUNT: '' }),
  ).toEqual([])
  expect(await faultsOf({ DATABASE_URL: '' })).toEqual([
    'DATABASE_URL is empty: give it a value or remove it',
  ])
  expect(await faultsOf({ HEADCOUNT_BASE_URL: '' })).toEqual([
    expect.stringMatching(/^HEADCOUNT_BASE_URL must be/),
  ])
})

test('the faults of what is set can be had without asking for what is not', async () => {
  expect(await environmentFaults({})).toEqual([])
  expect(await environmentFaults({ HEADCOUNT_API_KEY: 'a\nb', HEADCOUNT_ALL_HTTP: '1' })).toEqual([
    'HEADCOUNT_ALL_HTTP is no setting of headcount (did you mean HEADCOUNT_ALLOW_HTTP?)',
    'HEADCOUNT_API_KEY must be one line: there is a line break in it',
  ])
  expect(await environmentFaults({ HEADCOUNT_DATABASE_URL: 'postgres://db/x', HEADCOUNT_KEY: 'x' })).toEqual([
    'HEADCOUNT_DATABASE_URL is no setting of headcount (did you mean DATABASE_URL?)',
    'HEADCOUNT_KEY is no setting of headcount (did you mean HEADCOUNT_API_KEY?)',
  ])
})

describe('O7 the variables that Kubernetes makes are ignored', () => {
  test.each([
    ['HEADCOUNT_SERVICE_HOST', '10.0.0.1'],
    ['HEADCOUNT_SERVICE_PORT', '8080'],
    ['HEADCOUNT_SERVICE_PORT_HTTP', '8080'],
    ['HEADCOUNT_DB_SERVICE_HOST', '10.0.0.1'],
    ['HEADCOUNT_PORT', 'tcp://10.0.0.1:8080'],
    ['HEADCOUNT_PORT_8080_TCP', 'tcp://10.0.0.1:8080'],
    ['HEADCOUNT_PORT_8080_TCP_ADDR', '10.0.0.1'],
    ['HEADCOUNT_PORT_8080_TCP_PROTO', 'tcp'],
    ['HEADCOUNT_PORT_53_UDP_PORT', '53'],
    ['HEADCOUNT_HEALTH_PORT', 'tcp://10.0.0.1:8081'],
    ['HEADCOUNT_HEALTH_PORT_8081_TCP', 'tcp://10.0.0.1:8081'],
  ])('%s=%s', async (name, value) => {
    const config = await readServiceConfig({}, { ...complete, [name]: value })
    expect(config.worker.healthPort).toBeNull()
  })

  test.each([
    ['HEADCOUNT_PORT', '8080'],
    ['HEADCOUNT_SERVICE', 'x'],
    ['HEADCOUNT_PORT_TCP', 'x'],
    ['HEADCOUNT_XYZ', 'tcp://10.0.0.1:8080'],
  ])('but not %s=%s', async (name, value) => {
    expect(await faultsOf({ [name]: value })).toEqual([expect.stringContaining(`${name} is no setting`)])
  })
})

describe('the key', () => {
  test('comes from a file, trimmed', async () => {
    const { HEADCOUNT_BASE_URL } = complete
    const environment = {
      HEADCOUNT_BASE_URL,
      HEADCOUNT_API_KEY_FILE: fileHolding('\ufeff  canary-file \r\n'),
    }
    await expect(readServiceConfig({}, environment)).resolves.toMatchObject({
      service: {
        apiKey: 'canary-file',
        apiKeyFrom: expect.stringMatching(/^\/.* \(HEADCOUNT_API_KEY_FILE\)$/),
      },
    })
  })

  test('in a variable and a file at once is a fault', async () => {
    expect(await faultsOf({ HEADCOUNT_API_KEY_FILE: fileHolding('other') })).toEqual([
      'HEADCOUNT_API_KEY and HEADCOUNT_API_KEY_FILE are both set: keep one of them',
    ])
  })

  test.each([
    ['O7 a line break inside', 'canary\nsecond', /must be one line/],
    ['a carriage return', 'canary\r', /must be one line/],
    ['a character that is not ASCII', 'canäry', /must be plain ASCII/],
    ['a control character', 'can\tary', /must be plain ASCII/],
    ['a line break at the end', 'canary\n', /must be one line/],
  ])('with %s is refused and not shown', async (_, key, fault) => {
    const faults = await faultsOf({ HEADCOUNT_API_KEY: key })
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(faults.join()).not.toContain(key.trim())
  })

  test('is taken without the blanks around it, and blanks alone are no key', async () => {
    await expect(
      readServiceConfig({}, { ...complete, HEADCOUNT_API_KEY: ' \tcanary key\t ' }),
    ).resolves.toMatchObject({ service: { apiKey: 'canary key' } })
    expect(await faultsOf({ HEADCOUNT_API_KEY: ' \t ' })).toEqual([
      'HEADCOUNT_API_KEY is empty: give it a value or remove it',
    ])
  })

  test('in a file that is empty, holds two lines, or cannot be read is a fault that names the file', async () => {
    const inFile = (path: string) => faultsOf({ HEADCOUNT_API_KEY: undefined, HEADCOUNT_API_KEY_FILE: path })
    expect(await inFile(fileHolding(' \n'))).toEqual([expect.stringMatching(/secret" is empty/)])
    expect(await inFile(fileHolding('canary\nsecond'))).toEqual([expect.stringMatching(/one line/)])
    expect(await inFile('/nowhere/key')).toEqual([
      expect.stringMatching(/cannot read "\/nowhere\/key" \(ENOENT\)/),
    ])
    expect(await inFile('')).toEqual([expect.stringMatching(/^HEADCOUNT_API_KEY_FILE is empty/)])
    const [pasted] = await inFile('canary-in-place')
    expect(pasted).toMatch(/^HEADCOUNT_API_KEY_FILE: there is no file of this name \(ENOENT\)/)
    expect(pasted).not.toContain('canary')
  })
})

describe('X3 the base address', () => {
  test.each([
    ['file:///etc/passwd', /must begin with https/],
    ['ftp://events.example/api/v1', /must begin with https/],
    ['events.example/api/v1', /must (be a whole address|begin with https)/],
    ['https://user:geheimnis@events.example/api/v1', /no user name or password/],
    ['https://geheimnis@events.example/api/v1', /no user name or password/],
    ['https://events.example/api/v1?key=geheimnis', /no query/],
    ['https://events.example/api/v1#geheimnis', /no fragment/],
    ['http://events.example/api/v1', /plain http to another machine/],
    ['http://localhost.events.example/api/v1', /plain http to another machine/],
    ['http://128.0.0.1/api/v1', /plain http to another machine/],
  ])('%s is refused, and no secret in it is shown', async (address, fault) => {
    const faults = await faultsOf({ HEADCOUNT_BASE_URL: address })
    expect(faults).toEqual([expect.stringMatching(fault)])
    expect(faults.join()).not.toContain('geheimnis')
  })

  test.each(['http://localhost:8080/api/v1', 'http://127.1.2.3/api/v1', 'http://[::1]:8080/api/v1'])(
    '%s is this machine and may be plain http',
    async (address) => expect(await faultsOf({ HEADCOUNT_BASE_URL: address })).toEqual([]),
  )

  test('plain http to another machine is allowed when the user says so', async () => {
    const far = { HEADCOUNT_BASE_URL: 'http://events.example/api/v1' }
    expect(await faultsOf(far, { allowHttp: true })).toEqual([])
    expect(await faultsOf({ ...far, HEADCOUNT_ALLOW_HTTP: 'true' })).toEqual([])
    expect(await faultsOf({ ...far, HEADCOUNT_ALLOW_HTTP: '0' })).toHaveLength(1)
  })
})

describe('the database', () => {
  test('X6 a target that is none is refused and not shown', async () => {
    const faults = await faultsOf({ DATABASE_URL: 'mysql://user:geheimnis@db/x' })
    expect(faults).toEqual(['DATABASE_URL must begin with postgres:// or pglite:'])
    expect(await faultsOf({}, { database: 'geheimnis' })).toEqual([
      '--database must begin with postgres:// or pglite: (for example --database pglite:./headcount-data)',
    ])
  })

  test.each([
    ['pglite:', 'names no folder: write pglite:<folder>'],
    ['postgres://', 'names no server: write postgres://user:password@host:5432/database'],
    ['"postgres://user:geheimnis@db/x"', 'stands in quotation marks: remove them'],
    ["'pglite:./x'", 'stands in quotation marks: remove them'],
  ])('%s: what it lacks, or has too much, is said', async (text, fault) => {
    expect(await faultsOf({ DATABASE_URL: text })).toEqual([`DATABASE_URL ${fault}`])
  })

  test('comes from a file, which is read anew', async () => {
    const DATABASE_URL_FILE = fileHolding('postgresql://db/mirror\n')
    const { database } = await readConfig({}, { DATABASE_URL_FILE })
    expect(database).toMatchObject({ target: 'postgresql://db/mirror', isDefault: false })
    writeFileSync(DATABASE_URL_FILE, 'postgresql://:new@db/mirror')
    expect(database.reread?.()).toBe('postgresql://:new@db/mirror')
  })

  test('comes from a pipe, which is read once', async () => {
    const pipe = `${fileHolding('')}.pipe`
    execFileSync('mkfifo', [pipe])
    spawn('sh', ['-c', 'echo postgresql://db/mirror > "$0"', pipe])
    const { database } = await readConfig({}, { DATABASE_URL_FILE: pipe })
    expect(database).toEqual({ target: 'postgresql://db/mirror', isDefault: false })
  })

  test('does not come from two places', async () => {
    const DATABASE_URL_FILE = fileHolding('postgresql://db/mirror\n')
    expect(await faultsOf({ DATABASE_URL_FILE, DATABASE_URL: 'pglite:./x' })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set: keep one of them',
    ])
  })
})

describe('--quiet is the level warn', () => {
  test.each([
    ['info', 'warn'],
    ['debug', 'warn'],
    ['warn', 'warn'],
    ['error', 'error'],
  ])('from %s to %s', async (HEADCOUNT_LOG_LEVEL, logLevel) => {
    await expect(readConfig({ quiet: true }, { HEADCOUNT_LOG_LEVEL })).resolves.toMatchObject({ logLevel })
  })
})

test('NO_COLOR counts when it is not empty', () => {
  expect([noColour({}), noColour({ NO_COLOR: '' }), noColour({ NO_COLOR: '1' })]).toEqual([
    false,
    false,
    true,
  ])
})
