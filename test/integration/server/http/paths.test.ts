/** Addresses that are to lead somewhere else than they say. */
import { describe, expect, test } from 'vitest'
import { closing, exchange, requestText } from '../../../support/http/raw-http.ts'
import { sharedMirror } from '../../../support/mirror/shared-mirror.ts'

const mirror = sharedMirror()

describe('X7 paths', () => {
  const tricks: [string, number][] = [
    ['/api/v1/events/../events/of-south/responses', 404],
    ['/api/v1/events/%2e%2e/responses', 404],
    ['/api/v1/events/%2E%2E%2Fof-south/responses', 404],
    ['/api/v1/events/../../../../etc/passwd', 404],
    ['/api/v1/..%2f..%2f..%2fetc%2fpasswd', 404],
    ['/..%5c..%5cwindows', 404],
    ['/api/v1/events/..\\of-south/responses', 400],
    ['\\api\\v1\\ping', 400],
    ['/api/v1/events//responses', 404],
    ['//api/v1/ping', 404],
    ['/api//v1/ping', 404],
    ['/api/v1/ping/', 404],
    ['/api/v1/ping%2F', 404],
    ['/api/v1%2Fping', 404],
    ['/api/v1/ping;of-south', 404],
    ['/api/v1/ping%00', 404],
    ['/api/v1/ping%20', 404],
    ['/API/V1/PING', 404],
    ['/api/v1/events/of-south%00/responses', 404],
    ['/api/v1/events/%00/responses', 404],
    ['/api/v1/events/%ff%fe/responses', 404],
    ['/api/v1/events/%C0%AE%C0%AE/responses', 404],
    ['/api/v1/events/%ED%A0%80/responses', 404],
    ['/api/v1/events/%u006f/responses', 404],
    ['/api/v1/events/%/responses', 404],
    ['/api/v1/events/of%2Dsouth/responses', 404],
    ['/api/v1/events/a%2Fb/responses', 404],
    ['/api/v1/events/of-north%2Fresponses', 404],
    ['/api/v1/events/of-all/responses/..%2F..%2Fof-south', 404],
    [`/api/v1/events/${'%F0%9F%8C%B8'.repeat(600)}/responses`, 404],
    [`/api/v1/events/${'x'.repeat(8_000)}/responses`, 404],
    [`/api/v1/events/' or 1=1 --/responses`.replaceAll(' ', '%20'), 404],
    ['/api/v1/events/__proto__/responses', 404],
    ['/api/v1/events/:event_id/responses', 404],
    ['/api/v1/events/*/responses', 404],
    ['*', 400],
    ['http://', 400],
    ['http://a:b:c/api/v1/ping', 400],
    ['ping', 400],
    ['/api/v1/events?after=%00', 400],
    ['/api/v1/events?after=%zz', 400],
    ['/api/v1/events?limit=1&after=of-nor%ffth', 400],
    ['/api/v1/events?after=a&%61fter=b', 400],
    ['/api/v1/events/of-north/responses?after=9223372036854775808', 400],
    ['/api/v1/events/of-north/responses?after=1e3', 400],
    ['/api/v1/events/of-north/responses?after=', 400],
    ['/api/v1/events/of-north/responses?limit=0x10', 400],
    ['/api/v1/events?limit=10001', 400],
    ['/api/v1/events?limit=-1', 400],
    ['/api/v1/events?limit=%31&limit=2', 400],
    ['/api/v1/events?limit', 400],
  ]

  test.each(tricks.map(([path, expected]) => ({ path, expected, name: path.slice(0, 60) })))(
    '$name',
    async ({ path, expected }) => {
      const sent = requestText(path, [['X-API-Key', mirror().accounts.north.key], closing])
      const [answer, ...more] = await exchange(mirror().port, sent)
      expect(more).toEqual([])
      expect([answer?.status, answer?.headers['content-type']]).toEqual([
        expected,
        'application/problem+json',
      ])
      expect(answer?.body).not.toContain('south')
    },
  )

  test('written in other ways lead where they say, and to nothing of others', async () => {
    const { key, email } = mirror().accounts.north
    const ways = [
      'http://elsewhere.example/api/v1/ping',
      '/api/v1/events/../ping',
      '/api/v1/%70ing',
      '/api/v1/ping?x#y',
    ]
    for (const way of ways) {
      const [answer] = await exchange(mirror().port, requestText(way, [['X-API-Key', key], closing]))
      expect([way, answer?.status, answer?.body]).toEqual([way, 200, JSON.stringify({ email })])
    }
    for (const after of ['~', 'of-north', '%F0%9F%8C%B8', 'a+b', '%25']) {
      const path = `/api/v1/events?after=${after}`
      const [answer] = await exchange(mirror().port, requestText(path, [['X-API-Key', key], closing]))
      expect([after, answer?.status]).toEqual([after, 200])
      expect(answer?.body).not.toContain('south')
    }
  })

  test.each([
    ['Host: a b', 400],
    ['Host: a@b', 400],
    ['Host: [::1', 400],
    ['Host: ', 200],
    ['Host: [::1]:8080', 200],
    ['Host: ünïcode', 400],
  ])('a header %s gives %i', async (line, expected) => {
    const sent = `GET /api/v1/ping HTTP/1.1\r\n${line}\r\nX-API-Key: ${mirror().accounts.north.key}\r\nConnection: close\r\n\r\n`
    expect((await exchange(mirror().port, sent)).map(({ status }) => status)).toEqual([expected])
  })
})
