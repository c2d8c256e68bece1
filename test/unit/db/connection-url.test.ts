import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import {
  hostOf,
  parsePostgresUrl,
  postgresUrl,
  withLibpqDefaults,
} from '../../../src/db/postgres/connection-url.ts'

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

const socket = '/cloudsql/club:europe-west1:events'

test.each([
  [`postgres://ann:x%40@/events?host=${socket}`, socket, '5432', 'ann'],
  [`postgresql://ann@/events?host=${encodeURIComponent(socket)}&port=6432`, socket, '6432', 'ann'],
  ['postgres://ann:a:b@:6432/events', 'localhost', '6432', 'ann'],
  ['postgres://:6432/events?user=ann', 'localhost', '6432', 'ann'],
  ['postgres://ann@?host=db', 'db', '5432', 'ann'],
  ['postgres://ann@', 'localhost', '5432', 'ann'],
  ['postgres://ann@db:6432/events', 'db', '6432', 'ann'],
  ['postgres://ann@[::1]:6432/events', '[::1]', '6432', 'ann'],
])('%s: a user or a port without a host, as psql reads it', (text, host, port, user) => {
  const url = withLibpqDefaults(postgresUrl(text))
  expect(hostOf(url)).toBe(host)
  expect(url.searchParams.get('port') ?? url.port).toBe(port)
  expect(url.searchParams.get('user') ?? url.username).toBe(user)
})

test.each(['pglite:./x', 'https://ann@/x', 'postgres://ann@ /x'])('%s is none', (text) => {
  expect(parsePostgresUrl(text)?.host ?? null).toBeNull()
})
