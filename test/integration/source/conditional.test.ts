import { describe, expect, test } from 'vitest'
import { InvalidResponseError, CrossOriginError } from '../../../src/common/errors.ts'
import { list, resetBeforeHeaders, send, type Step, untilClose } from '../../support/http/fault-server.ts'
import { errorOf, faultServer, numberText, testKey, valuesOf, wholeOf } from '../../support/http/reading.ts'
import { itemsOf } from '../../support/accounts/read-items.ts'

const items = [{ id: 1 }]
const tag = '"v1"'

/** A 304, with these headers. */
function unchanged(headers: Record<string, string> = { ETag: tag }): Step {
  return send({ status: 304, headers }, (socket, head) => void socket.write(`${head}\r\n`))
}

function sentTags({ requests }: { requests: readonly { headers: Readonly<Record<string, string>> }[] }) {
  return requests.map(({ headers }) => headers['if-none-match'])
}

describe('a list asked for with the validator of an earlier reading', () => {
  test('is not modified when the service says so', async () => {
    const server = await faultServer()
    server.next(list(items, { ETag: tag }), unchanged(), unchanged({}), list([], { ETag: 'W/"v2"' }))
    const source = numberText(server.baseUrl)
    const { etag } = await wholeOf(source.responses('gala'))
    expect(etag).toBe(tag)
    expect(await source.responses('gala', etag)).toBe('not_modified')
    expect(await source.responses('gala', etag)).toBe('not_modified')
    using changed = await wholeOf(source.responses('gala', etag))
    expect(await itemsOf(changed)).toEqual([])
    expect(changed.etag).toBe('W/"v2"')
    expect(sentTags(server)).toEqual([undefined, tag, tag, tag])
    expect(source.counts).toMatchObject({ requests: 4, retries: 0, notModified: 2 })
  })

  test('leaves its connection free for the next request when it is not modified', async () => {
    const server = await faultServer()
    server.always(unchanged())
    const source = numberText(server.baseUrl)
    for (let read = 0; read < 8; read += 1) await source.responses('gala', tag)
    // The pool takes a second one when the first has not told yet that it is free.
    expect(server.connections).toBeLessThanOrEqual(2)
  })

  test('is asked for with it again when the request is tried again', async () => {
    const server = await faultServer()
    server.next(resetBeforeHeaders, send({ status: 503 }), unchanged())
    const source = numberText(server.baseUrl)
    expect(await source.responses('gala', tag)).toBe('not_modified')
    expect(sentTags(server)).toEqual([tag, tag, tag])
  })

  test('is asked for with it behind a redirect on the same origin, and nowhere else', async () => {
    const server = await faultServer()
    const other = await faultServer()
    const to = (location: string): Step => send({ status: 307, headers: { Location: location } })
    server.next(to('/moved'), unchanged(), to(`${other.origin}/moved`))
    const source = numberText(server.baseUrl)
    expect(await source.responses('gala', tag)).toBe('not_modified')
    expect(sentTags(server)).toEqual([tag, tag])
    expect(await errorOf(source.responses('gala', tag))).toBeInstanceOf(CrossOriginError)
    expect(other.connections).toBe(0)
  })

  test('is read page by page when it has become longer; later pages are asked for without it', async () => {
    const server = await faultServer()
    server.next(list(items, { ETag: '"p1"', Link: '<?page=2>; rel=next' }), list(items, { ETag: '"p2"' }))
    using reading = await wholeOf(numberText(server.baseUrl).responses('gala', tag))
    expect(await itemsOf(reading)).toHaveLength(2)
    expect(reading.etag).toBeNull()
    expect(sentTags(server)).toEqual([tag, undefined])
  })

  test.each(['', 'v1', '"a"\r\nX-Admin: yes', '"a", "b"', null])(
    'is asked for without it when it is none (%j)',
    async (etag) => {
      const server = await faultServer()
      server.always(list(items))
      expect(await valuesOf(numberText(server.baseUrl).responses('gala', etag))).toEqual(items)
      expect(sentTags(server)).toEqual([undefined])
    },
  )
})

describe('H19 a 304', () => {
  test('H19 without our validator is a broken contract of that list, and not tried again', async () => {
    const server = await faultServer()
    server.always(unchanged())
    const source = numberText(server.baseUrl)
    for (const read of [source.events(), source.responses('gala'), source.responses('gala', null)]) {
      expect(await errorOf(read)).toBeInstanceOf(InvalidResponseError)
    }
    expect(source.counts).toMatchObject({ requests: 3, retries: 0, notModified: 0 })
  })

  test.each([
    ['that carries another tag', { ETag: '"v2"' }],
    ['that carries a tag that is none', { ETag: 'v1' }],
    ['that names a next page', { ETag: tag, Link: '<?page=2>; rel=next' }],
    ['whose Link header cannot be read', { ETag: tag, Link: '?page=2; rel=next' }],
  ])('H19 %s proves nothing: the list is asked for once more, without the validator', async (_, headers) => {
    const server = await faultServer()
    server.next(unchanged(headers), list(items, { ETag: '"v2"' }))
    const source = numberText(server.baseUrl)
    using reading = await wholeOf(source.responses('gala', tag))
    expect(await itemsOf(reading)).toHaveLength(1)
    expect(reading.etag).toBe('"v2"')
    expect(sentTags(server)).toEqual([tag, undefined])
    expect(source.counts).toMatchObject({ requests: 2, retries: 0, notModified: 0 })

    server.next(unchanged(headers), unchanged(headers))
    expect(await errorOf(source.responses('gala', tag))).toBeInstanceOf(InvalidResponseError)
  })

  test.each([
    ['W/"v1"', '"v1"'],
    ['"v1"', 'W/"v1"'],
  ])('whose tag is ours but for the mark of weakness is about our list (%s, %s)', async (ours, theirs) => {
    const server = await faultServer()
    server.next(unchanged({ ETag: theirs }))
    expect(await numberText(server.baseUrl).responses('gala', ours)).toBe('not_modified')
    expect(sentTags(server)).toEqual([ours])
  })
})

describe('the validator of a reading', () => {
  const longest = `"${'x'.repeat(1022)}"`
  test.each<[string, Step, string | null]>([
    ['strong', list(items, { ETag: tag }), tag],
    ['weak', list(items, { ETag: 'W/"a"' }), 'W/"a"'],
    ['as long as may be', list(items, { ETag: longest }), longest],
    ['too long', list(items, { ETag: longest.replace('x', 'xx') }), null],
    ['absent', list(items), null],
    ['empty', list(items, { ETag: '""' }), null],
    ['without quotes', list(items, { ETag: 'abc' }), null],
    ['with a small w', list(items, { ETag: 'w/"a"' }), null],
    ['with a space', list(items, { ETag: '"a b"' }), null],
    ['outside ASCII', list(items, { ETag: '"é"' }), null],
    ['sent twice', list(items, { ETag: ['"a"', '"b"'] }), null],
    ['that repeats the key', list(items, { ETag: `"${testKey.replaceAll('"', '%22')}"` }), null],
    ['of a body without an end mark', send({ body: items, headers: { ETag: tag } }, untilClose), null],
    ['beside a Link that cannot be read', list(items, { ETag: tag, Link: '/p2; rel=next' }), null],
    ['beside a count that is right', list(items, { ETag: tag, 'X-Total-Count': '1' }), tag],
    ['beside a count that is not', list(items, { ETag: tag, 'X-Total-Count': '2' }), null],
    ['beside the name of a next page', list(items, { ETag: tag, 'X-Next-Page': '2' }), null],
  ])('%s', async (_, step, etag) => {
    const server = await faultServer()
    server.always(step)
    using reading = await wholeOf(numberText(server.baseUrl).responses('gala'))
    await itemsOf(reading)
    expect(reading.etag).toBe(etag)
  })

  test('is there before the list is parsed, but not beside a count that nobody has compared', async () => {
    const server = await faultServer()
    server.next(list(items, { ETag: tag }), list(items, { ETag: tag, 'X-Total-Count': '1' }))
    const source = numberText(server.baseUrl)
    expect((await wholeOf(source.responses('gala'))).etag).toBe(tag)
    using reading = await wholeOf(source.responses('gala'))
    expect(reading.etag).toBeNull()
    await itemsOf(reading)
    expect(reading.etag).toBe(tag)
  })
})

test('a reading tells the names of headers that hint at limits, paging and caches, and no value', async () => {
  const server = await faultServer()
  server.next(
    list(items, {
      'X-RateLimit-Limit': '100',
      'RateLimit-Policy': '"a";q=1',
      ETag: tag,
      Link: '<?page=2>; rel=next',
      'X-Request-Id': testKey,
    }),
    list(items, { 'X-Total-Count': '2', 'Cache-Control': 'no-store', ETag: tag }),
  )
  const reading = await wholeOf(numberText(server.baseUrl).responses('gala'))
  expect(reading.notableHeaders).toEqual([
    'cache-control',
    'etag',
    'link',
    'ratelimit-policy',
    'x-ratelimit-limit',
    'x-total-count',
  ])
})
