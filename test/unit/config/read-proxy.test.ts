import { describe, expect, test } from 'vitest'
import { readConfig, readServiceConfig } from '../../../src/config/config.ts'
import { readProxy } from '../../../src/config/read-proxy.ts'
import type { Environment } from '../../../src/config/secrets.ts'

const proxies = { https_proxy: 'http://secure:3128', http_proxy: 'http://plain:3128' }

function proxyOf(address: string, environment: Environment = proxies): string | null {
  return readProxy(new URL(address), environment)?.origin ?? null
}

describe('which proxy leads to an address', () => {
  test('by its scheme', () => {
    expect(proxyOf('https://events.example')).toBe('http://secure:3128')
    expect(proxyOf('http://events.example')).toBe('http://plain:3128')
    expect(proxyOf('https://events.example', { http_proxy: 'http://plain:3128' })).toBeNull()
    expect(proxyOf('https://events.example', {})).toBeNull()
  })

  test('the variable in small letters comes first, and an empty one stands for none', () => {
    const HTTPS_PROXY = 'http://capitals:1'
    expect(proxyOf('https://events.example', { HTTPS_PROXY })).toBe(HTTPS_PROXY)
    expect(proxyOf('https://events.example', { HTTPS_PROXY, https_proxy: 'http://small:1' })).toBe(
      'http://small:1',
    )
    expect(proxyOf('https://events.example', { HTTPS_PROXY, https_proxy: '' })).toBeNull()
    expect(proxyOf('https://events.example', { HTTPS_PROXY, NO_PROXY: '*' })).toBeNull()
    expect(proxyOf('https://events.example', { HTTPS_PROXY, NO_PROXY: '*', no_proxy: '' })).toBe(HTTPS_PROXY)
  })

  test.for([
    'http://localhost:8080',
    'http://127.0.0.1',
    'http://127.8.9.1:1',
    'http://[::1]:80',
    'https://LOCALHOST',
  ])('none leads to this machine: %s', (address) => {
    expect(proxyOf(address)).toBeNull()
  })

  test('without a scheme it is http, and without a port that of its scheme', () => {
    const through = (https_proxy: string) => proxyOf('https://events.example', { https_proxy })
    expect(through('proxy.example:8080')).toBe('http://proxy.example:8080')
    expect(through(' proxy.example ')).toBe('http://proxy.example')
    expect(through('https://proxy.example/')).toBe('https://proxy.example')
  })

  const exceptions: readonly (readonly [entries: string, address: string, isExcepted: boolean])[] = [
    ['events.example', 'https://events.example', true],
    ['events.example', 'https://api.events.example', true],
    ['events.example', 'https://other-events.example', false],
    ['.events.example', 'https://events.example', true],
    ['*.events.example', 'https://api.events.example', true],
    ['EVENTS.example.', 'https://events.example', true],
    ['events.example', 'https://events.example.', true],
    ['a.example, events.example', 'https://events.example', true],
    ['a.example events.example', 'https://events.example', true],
    [' ,, ', 'https://events.example', false],
    ['*', 'https://events.example', true],
    ['events.example:443', 'https://events.example', true],
    ['events.example:8443', 'https://events.example', false],
    ['events.example:8443', 'https://events.example:8443', true],
    ['*:80', 'https://events.example', false],
    ['10.1.2.3', 'https://10.1.2.3', true],
    ['.2.3', 'https://10.1.2.3', false],
    ['10.0.0.0/8', 'https://10.1.2.3', true],
    ['10.0.0.0/8', 'https://11.1.2.3', false],
    ['10.0.0.0/99', 'https://10.0.0.0', false],
    ['10.0.0.0/8', 'https://events.example', false],
    ['fd00::/8', 'https://[fd00::1]', true],
    ['fd00::1', 'https://[fd00::1]', true],
    ['[fd00::1]:443', 'https://[fd00::1]', true],
    ['fd00:0:0::0001', 'https://[fd00::1]', true],
    ['[FD00:0::1]:443', 'https://[fd00::1]', true],
    ['fd00::2', 'https://[fd00::1]', false],
  ]
  test.for(exceptions)('no_proxy=%j and %s: excepted %s', ([no_proxy, address, isExcepted]) => {
    expect(proxyOf(address, { ...proxies, no_proxy }) === null).toBe(isExcepted)
  })
})

describe('a proxy that cannot be used is a fault of the settings, which is never quoted', () => {
  const complete = { HEADCOUNT_BASE_URL: 'https://events.example/api/v1', HEADCOUNT_API_KEY: 'canary-key' }

  test.for([
    ['socks5://ann:s3cret@proxy.example:1080', /^HTTPS_PROXY must begin with http:\/\/ or https:\/\//],
    [
      'http://',
      /^HTTPS_PROXY must be the address of a proxy, like http:\/\/host:port\. NO_PROXY names hosts that are reached without a proxy$/,
    ],
    ['http://ann:s3cret@proxy.example:99999', /^HTTPS_PROXY must be the address of a proxy/],
    [
      'http://ann:s3cret/@proxy.example',
      /^HTTPS_PROXY must be .*, like http:\/\/user:password@host:port .*percent-encoded/,
    ],
    [
      'http://ann:2/s3cret@proxy.example',
      /^HTTPS_PROXY must end with the port, .*percent-encoded \(% is %25, @ is %40, \/ is %2F\)/,
    ],
    ['http://proxy.example:8080/s3cret.pac', /^HTTPS_PROXY must end with the port/],
    [
      'http://ann:s3cret%zz@proxy.example',
      /^HTTPS_PROXY must have its user name and password percent-encoded/,
    ],
  ] as const)('%s', async ([HTTPS_PROXY, expected]) => {
    const notify = { HEADCOUNT_NOTIFY_TO: 'https://hooks.example/1 https://hooks.example/2' }
    const read = readServiceConfig({}, { ...complete, ...notify, HTTPS_PROXY })
    await expect(read).rejects.toMatchObject({ faults: [expect.stringMatching(expected)] })
    await expect(read).rejects.not.toThrow('s3cret')
    // Where nothing is reached through it, it is no fault.
    await expect(
      readServiceConfig({}, { ...complete, HTTPS_PROXY, NO_PROXY: 'example' }),
    ).resolves.toMatchObject({
      service: { proxy: null },
    })
  })

  test('also one for a recipient that is named by a flag', async () => {
    const { notify } = await readConfig({}, { HTTPS_PROXY: 'ftp://proxy.example' })
    expect(() => notify.proxyFor(new URL('https://hooks.example/1'))).toThrow(/HTTPS_PROXY must begin with/)
  })
})
