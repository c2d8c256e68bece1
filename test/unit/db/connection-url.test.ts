import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { withLibpqDefaults } from '../../../src/db/postgres/connection-url.ts'

const me = encodeURIComponent(userInfo().username)
const always = 'client_encoding=UTF8&sslnegotiation=postgres'

test.each([
  ['postgres://a:b@db:6432/mirror', `postgres://a:b@db:6432/mirror?${always}`],
  ['postgres://a:b@db/mirror', `postgres://a:b@db/mirror?port=5432&${always}`],
  ['postgres:///mirror', `postgres:///mirror?user=${me}&host=localhost&port=5432&${always}`],
  ['postgres://a@db:1', `postgres://a@db:1/a?${always}`],
  ['postgres://a%40b@db:1', `postgres://a%40b@db:1/a%40b?${always}`],
  [
    'postgres:///m?host=/run/pg&user=a&port=1&sslnegotiation=direct',
    'postgres:///m?host=%2Frun%2Fpg&user=a&port=1&sslnegotiation=direct&client_encoding=UTF8',
  ],
])('%s leaves nothing open', (url, whole) => {
  expect(withLibpqDefaults(new URL(url)).href).toBe(whole)
})
