import { expect, test } from 'vitest'
import { UsageError } from '../../../src/common/errors.ts'
import { serviceUrl } from '../../../src/source/url.ts'

test.each([
  'https://example.org/api/v1',
  'HTTPS://EXAMPLE.ORG/api/v1/',
  'http://localhost:8080/api/v1',
  'http://127.0.0.1/api/v1',
  'http://127.9.9.9/api/v1',
  'http://[::1]:80/api/v1',
  'http://0x7f.1/api/v1',
])('%s is taken', (text) => {
  expect(serviceUrl(text, false).href).toBe(new URL(text).href)
})

test.each([
  'http://example.org/api/v1',
  'http://127.0.0.1.example.org/api/v1',
  'http://localhost.example.org/api/v1',
  'http://10.0.0.1/api/v1',
  'http://[::2]/api/v1',
])('X3 plain http to a far host, %s, is refused unless it is allowed', (text) => {
  expect(() => serviceUrl(text, false)).toThrow(/plain http to .*`allowHttp`/s)
  expect(serviceUrl(text, true).href).toBe(new URL(text).href)
})

test.each([
  'file:///etc/passwd',
  'ftp://example.org/api/v1',
  'javascript:alert(1)',
  'example.org/api/v1',
  '/api/v1',
  '',
  'https://owner:s3cret@example.org/api/v1',
  'https://s3cret@example.org/api/v1',
  'https://example.org/api/v1?key=s3cret',
  'https://example.org/api/v1#s3cret',
  'https://owner:s3cret@:bad',
])('X3 %j is refused, and never quoted', (text) => {
  for (const allowed of [false, true]) {
    expect(() => serviceUrl(text, allowed)).toThrow(UsageError)
    expect(() => serviceUrl(text, allowed)).not.toThrow(/s3cret|passwd/)
  }
})
