/** Whom a key lets in, and that all others are told the same. */
import { Agent, request } from 'undici'
import { afterAll, describe, expect, test } from 'vitest'
import { revoke } from '../../../../src/mirror/keys/keys.ts'
import { hashKey } from '../../../../src/mirror/keys/secret.ts'
import { addAccount } from '../../../support/accounts/many-accounts.ts'
import { closing, exchange, requestText } from '../../../support/http/raw-http.ts'
import { names, sharedMirror } from '../../../support/mirror/shared-mirror.ts'

const mirror = sharedMirror()
const dispatcher = new Agent()
afterAll(() => dispatcher.destroy())

async function get(path: string, headers: Record<string, string>) {
  const url = `http://127.0.0.1:${mirror().port}/api/v1${path}`
  const answer = await request(url, { headers, dispatcher })
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() }
}

const endpoints = ['/ping', '/events', ...names.map((name) => `/events/of-${name}/responses`)]

describe('X7 the key', () => {
  test('of each account opens its own data at every endpoint, and of no other account anything', async () => {
    const tags = new Map<string, string>()
    // Twice: the second time from memory.
    for (const _ of [1, 2]) {
      for (const { name, email, key } of Object.values(mirror().accounts)) {
        const others = names.filter((other) => other !== name)
        for (const path of [...endpoints, '/events/of-all/responses']) {
          const { status, headers, text } = await get(path, { 'X-API-Key': key })
          for (const other of others) expect(text).not.toContain(other)
          const isAnothers = others.some((other) => path.includes(`of-${other}`))
          expect([path, status]).toEqual([path, isAnothers ? 404 : 200])
          if (path === '/ping') expect(JSON.parse(text)).toEqual({ email })
          if (status !== 200 || path === '/ping') continue
          expect(text).toContain(name)
          tags.set(`${name} ${path}`, String(headers['etag']))
        }
      }
    }
    for (const { name, key } of Object.values(mirror().accounts)) {
      for (const [place, tag] of tags) {
        const [owner, path = ''] = place.split(' ')
        const { status } = await get(path, { 'X-API-Key': key, 'If-None-Match': tag })
        if (owner === name) expect(status).toBe(304)
        else expect(status).toBe(path.includes(`of-${owner}`) ? 404 : 200)
      }
    }
  })

  test('that opens nobody gives one and the same answer, whatever it is and whatever is asked for', async () => {
    const { database, port, accounts } = mirror()
    const { key } = accounts.north
    const expired = await addAccount(database, 'expired')
    const revoked = await addAccount(database, 'revoked')
    await database.transaction(async (trx) => {
      const ids = await trx.query('select id from headcount.api_keys where sha256 = $1', [
        hashKey(revoked.key),
      ])
      await revoke(trx, 'api_keys', Number(ids.rows[0]?.[0]))
      await trx.query(`update headcount.api_keys set expires_at = now() where sha256 = $1`, [
        hashKey(expired.key),
      ])
    })
    const wrong: [string, string][][] = [
      [],
      [['X-API-Key', '']],
      [['X-API-Key', ' \t ']],
      [['X-API-Key', `hc_${'A'.repeat(43)}`]],
      [['X-API-Key', key.slice(0, -1)]],
      [['X-API-Key', `${key}A`]],
      [['X-API-Key', key.toUpperCase()]],
      [['X-API-Key', `"${key}"`]],
      [['X-API-Key', hashKey(key)]],
      [['X-API-Key', 'x'.repeat(15_000)]],
      [['X-API-Key', 'ключ 鍵 🗝']],
      [['X-API-Key', `' or '1'='1`]],
      [['X-API-Key', `{"${key}"}`]],
      [['X-API-Key', expired.key]],
      [['X-API-Key', revoked.key]],
      [
        ['X-API-Key', key],
        ['X-API-Key', key],
      ],
      [
        ['X-API-Key', key],
        ['x-api-key', accounts.south.key],
      ],
      [['X-API-Key', `${key}, ${key}`]],
      [['X_API_Key', key]],
      [['Authorization', `Bearer ${key}`]],
      [['Cookie', `X-API-Key=${key}`]],
    ]
    const sent = wrong.flatMap((headers) => [
      ...endpoints.map((path) => requestText(`/api/v1${path}`, [...headers, closing])),
      requestText('/api/v1/nothing', [...headers, closing]),
      requestText('/api/v1/events?limit=none', [...headers, closing]),
      requestText(`/api/v1/ping?X-API-Key=${key}`, [...headers, closing]),
      requestText('/api/v1/events', [...headers, closing], 'DELETE'),
    ])
    const answers = (await Promise.all(sent.map((text) => exchange(port, text)))).flat()
    expect(answers).toHaveLength(sent.length)
    const said = new Set(
      answers.map(({ status, headers: { date: _, ...headers }, body }) =>
        JSON.stringify([status, headers, body]),
      ),
    )
    expect([...said]).toEqual([expect.stringMatching(/^\[401,.*"www-authenticate":"ApiKey".*key_refused/)])
    for (const { key: each } of Object.values(accounts))
      expect(String([...said])).not.toContain(each.slice(3))
  })
})
