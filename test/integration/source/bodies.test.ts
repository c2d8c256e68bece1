import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  BodyTooLargeError,
  InvalidResponseError,
  InterruptedError,
  TemporaryFileError,
  UnreachableError,
} from '../../../src/common/errors.ts'
import { chunked, list, oneByteSlices, send, type Step, untilClose } from '../../support/http/fault-server.ts'
import { errorOf, faultServer, numberText, valuesOf, wholeOf } from '../../support/http/reading.ts'
import { itemsOf } from '../../support/accounts/read-items.ts'

const items = [{ id: 'fête-🎉' }, { id: 'b' }]
const text = JSON.stringify(items)

/** A list of one text that is so many MB long. */
function large(megabytes: number): readonly string[] {
  return ['x'.repeat(megabytes * 1024 * 1024)]
}

describe('compression', () => {
  test.each(['gzip', 'x-gzip', 'identity, GZIP'])('one layer of gzip is taken off (%s)', async (encoding) => {
    const server = await faultServer()
    const zipped = send({ body: gzipSync(text), headers: { 'Content-Encoding': encoding } }, oneByteSlices)
    server.next(zipped, list(items))
    const source = numberText(server.baseUrl)
    using reading = await source.events()
    using plain = await source.events()
    expect((await itemsOf(reading)).map((item) => item.value)).toEqual(items)
    expect(reading.digest(1)).toBe(plain.digest(1))
    expect(reading.bytes).toBe(Buffer.byteLength(text))
    expect(source.counts.bytesReceived).toBe(gzipSync(text).length + reading.bytes)
  })

  test('a compressed body that ends too early is tried again', async () => {
    const server = await faultServer()
    server.always(send({ body: gzipSync(text).subarray(0, -9), headers: { 'Content-Encoding': 'gzip' } }))
    const source = numberText(server.baseUrl)
    expect(await errorOf(source.events())).toBeInstanceOf(UnreachableError)
    expect(source.counts.requests).toBe(3)
  })

  const bomb = gzipSync(Buffer.alloc(200_000_000, ' '))

  test.each<[string, Step]>([
    ['H21 two layers, said', send({ body: gzipSync(bomb), headers: { 'Content-Encoding': 'gzip, gzip' } })],
    [
      'H21 two layers, of which one is said',
      send({ body: gzipSync(bomb), headers: { 'Content-Encoding': 'gzip' } }),
    ],
    ['H21 an encoding that was not asked for', send({ body: text, headers: { 'Content-Encoding': 'br' } })],
    ['gzip that is none', send({ body: text, headers: { 'Content-Encoding': 'gzip' } })],
    [
      'gzip within the transfer',
      send(
        { body: text },
        (socket, head) => void socket.write(`${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`),
      ),
    ],
  ])('%s: a broken contract, not tried again, nothing blown up', async (_, step) => {
    const server = await faultServer()
    server.always(step)
    const source = numberText(server.baseUrl)
    const before = process.memoryUsage().arrayBuffers
    expect(await errorOf(source.events())).toBeInstanceOf(InvalidResponseError)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
    expect(source.counts.requests).toBe(1)
  })

  test('H21 a bomb of one layer ends at the cap', async () => {
    const server = await faultServer()
    server.always(send({ body: bomb, headers: { 'Content-Encoding': 'gzip' } }))
    const source = numberText(server.baseUrl, { maxBodyBytes: 1_000_000 })
    expect(await errorOf(source.events())).toBeInstanceOf(BodyTooLargeError)
    expect(source.counts.requests).toBe(1)
  })
})

describe('H22 a body above the cap', () => {
  const body = ['x'.repeat(3000)]

  test.each<[string, Step]>([
    ['that says so', list(body)],
    ['in chunks', send({ body }, chunked)],
    ['without an end mark', send({ body }, untilClose)],
    ['over two pages', list([body[0]?.slice(0, 1500)], { Link: '<?2>; rel=next' })],
  ])('%s is refused, and not tried again', async (_, step) => {
    const server = await faultServer()
    server.next(step, list([body[0]?.slice(0, 1500)]))
    const source = numberText(server.baseUrl, { maxBodyBytes: 2000 })
    const error = await errorOf(source.events())
    expect(error).toBeInstanceOf(BodyTooLargeError)
    expect(error.message).toMatch(/more than the|larger than/)
    expect(source.counts.retries).toBe(0)
  })

  test('and one below it is not', async () => {
    const server = await faultServer()
    server.always(list(body))
    expect(await valuesOf(numberText(server.baseUrl, { maxBodyBytes: 3004 }).events())).toEqual(body)
  })

  test('an event list above 256 MB is refused, for it is held in memory whole; one of responses is not', async () => {
    const server = await faultServer()
    server.always(
      send({}, (socket, head) => {
        socket.write(`${head}Content-Length: ${256 * 1024 ** 2 + 1}\r\n\r\n[`)
        socket.destroySoon()
      }),
    )
    const source = numberText(server.baseUrl)
    expect(await errorOf(source.events())).toBeInstanceOf(BodyTooLargeError)
    expect(await errorOf(source.responses('a'))).toBeInstanceOf(UnreachableError)
  })
})

describe('H23 character sets', () => {
  const json = 'application/json'

  test('a byte order mark is dropped', async () => {
    const server = await faultServer()
    server.always(send({ body: `\uFEFF${text}` }))
    expect(await valuesOf(numberText(server.baseUrl).events())).toEqual(items)
    server.always(send({ body: '\uFEFF{"email":"ada@example.org"}' }))
    expect(await numberText(server.baseUrl).ping()).toMatchObject({ email: 'ada@example.org' })
  })

  test.each([`${json}; charset=utf-8`, `${json};charset="UTF8"`, `text/plain; charset=us-ascii`])(
    '%s is read',
    async (type) => {
      const server = await faultServer()
      server.always(list(items, { 'Content-Type': type }))
      expect(await valuesOf(numberText(server.baseUrl).events())).toEqual(items)
    },
  )

  test.each<[string, Step]>([
    ['UTF-16 that is said', list(items, { 'Content-Type': `${json}; charset=utf-16` })],
    ['Latin-1 that is said', list(items, { 'Content-Type': `${json}; charset=ISO-8859-1` })],
    ['UTF-16 with a byte order mark', send({ body: Buffer.from(`\uFEFF${text}`, 'utf16le') })],
    ['UTF-16 of ASCII only, which passes for UTF-8', send({ body: Buffer.from('[{"id":"a"}]', 'utf16le') })],
    ['Latin-1', send({ body: Buffer.from('[{"id":"fête"}]', 'latin1') })],
    ['half a character', send({ body: Buffer.from('["é"]').subarray(0, 3) })],
  ])('%s is refused, and not tried again', async (_, step) => {
    const server = await faultServer()
    server.always(step)
    const source = numberText(server.baseUrl)
    expect(await errorOf(source.responses('x'))).toBeInstanceOf(InvalidResponseError)
    expect(source.counts.requests).toBe(1)
  })
})

describe('a list too large for memory', () => {
  /** As few bytes as this in memory: every list goes to a file, and is read in pieces of about this length. */
  const tiny = { inMemoryBytes: 10, chunkBytes: 10 }

  test('is read from a file as it would be from memory, over all its pages', async () => {
    const server = await faultServer()
    const pages = [['fête-🎉', { a: [1, 'x'.repeat(5000)] }], [], [9, { b: '},{' }], ['last']]
    for (const [place, page] of pages.entries()) {
      const links: Record<string, string> =
        place + 1 < pages.length ? { Link: `<?page=${place + 1}>; rel=next` } : {}
      const text = JSON.stringify(page, null, place)
      const body = place === 1 ? gzipSync(text) : `\uFEFF${text}`
      const headers = { ...links, ...(place === 1 && { 'Content-Encoding': 'gzip' }) }
      const path = `/events/a/responses${place === 0 ? '' : `?page=${place}`}`
      const first = send({ body, headers }, place === 0 ? oneByteSlices : chunked)
      server.at(path, first, send({ body, headers }))
    }
    using streamed = await wholeOf(numberText(server.baseUrl, tiny).responses('a'))
    using held = await wholeOf(numberText(server.baseUrl).responses('a'))
    expect([streamed.isLarge, held.isLarge]).toEqual([true, false])
    expect(streamed.bytes).toBe(held.bytes)
    expect(streamed.digest(1)).toBe(held.digest(1))
    expect(await itemsOf(streamed)).toEqual(await itemsOf(held))
    expect(await itemsOf(streamed)).toHaveLength(5)
  })

  test.each<[string, Step]>([
    ['a page to log in', send({ body: `<!doctype html>${'x'.repeat(5000)}` })],
    ['an object with keys of paging', send({ body: JSON.stringify({ data: ['x'.repeat(5000)], next: 2 }) })],
    ['UTF-16', send({ body: Buffer.from('[{"id":"a"}]', 'utf16le') })],
    ['half a character at its end', send({ body: Buffer.concat([Buffer.from('["'), Buffer.from([0xc3])]) })],
    ['a list that breaks off, without an end mark', send({ body: '[{"id":"a"},{"id"' }, untilClose)],
  ])('%s gets the same error', async (_, step) => {
    const server = await faultServer()
    server.always(step)
    const [streamed, held] = [numberText(server.baseUrl, tiny), numberText(server.baseUrl)]
    const error = await errorOf(streamed.responses('a'))
    expect(error).toEqual(await errorOf(held.responses('a')))
    expect(streamed.counts.requests).toBe(held.counts.requests)
  })

  const space = ' \r\n\t'.repeat(20_000)

  test.each<[string, Step]>([
    ['before it', send({ body: `\uFEFF${space}[{"id":"a"}]` })],
    ['behind it', send({ body: `[{"id":"a"}]${space}` }, untilClose)],
    ['inside it', send({ body: `[${space}{"id":"a"}${space}]` }, chunked)],
  ])('may have white space %s, in memory too', async (_, step) => {
    const server = await faultServer()
    server.always(step)
    for (const limits of [tiny, {}])
      expect(await valuesOf(numberText(server.baseUrl, limits).responses('a'))).toEqual([{ id: 'a' }])
  })

  test.each<[string, string, RegExp]>([
    ['nothing else', space, /an empty body/],
    ['a page', `${space}<html>`, /an HTML page.*It begins: <html>/],
    ['an object', `${space}{"data":[]}`, /an object, not a list \(its keys data suggest/],
  ])('or behind white space %s, which is said', async (_, body, message) => {
    const server = await faultServer()
    server.always(send({ body }))
    for (const limits of [tiny, {}])
      expect((await errorOf(numberText(server.baseUrl, limits).responses('a'))).message).toMatch(message)
  })

  test('is written over by the next try, and read as that one sent it', async () => {
    const server = await faultServer()
    server.at('/events/a/responses', list(['kept', 'x'.repeat(50)], { Link: '<?page=2>; rel=next' }))
    server.at(
      '/events/a/responses?page=2',
      send({ body: ['lost', 'x'.repeat(5000)] }, (socket, head, body) => {
        socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
        socket.write(body.subarray(0, 4000), () => socket.resetAndDestroy())
      }),
    )
    server.at('/events/a/responses?page=2', list(['came']))
    const values = await valuesOf(numberText(server.baseUrl, tiny).responses('a'))
    expect(values).toEqual(['kept', 'x'.repeat(50), 'came'])
  })

  test('needs a folder that can be written to: the error names it and what to do, and nothing is tried again', async () => {
    const server = await faultServer()
    server.always(list(items))
    const source = numberText(server.baseUrl, tiny)
    vi.stubEnv('TMPDIR', '/nowhere/at-all')
    onTestFinished(() => void vi.unstubAllEnvs())
    const error = await errorOf(source.responses('a'))
    expect(error).toBeInstanceOf(TemporaryFileError)
    expect(error.message).toMatch(/temporary file in \/nowhere\/at-all: ENOENT.*Make that folder, .* TMPDIR/)
    expect(source.counts).toMatchObject({ requests: 1, retries: 0 })
    vi.unstubAllEnvs()
    // Its place was given back.
    expect(await valuesOf(source.responses('a'))).toEqual(items)
  })

  test('leaves nothing in the folder, for the file has no name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'headcount-test-'))
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(async () => {
      vi.unstubAllEnvs()
      await rm(folder, { recursive: true })
    })
    const server = await faultServer()
    server.always(list(items))
    using reading = await wholeOf(numberText(server.baseUrl, tiny).responses('a'))
    expect(await readdir(folder)).toEqual([])
    expect(await itemsOf(reading)).toHaveLength(2)
  })
})

describe('memory', () => {
  test('of large bodies, the second waits until the first has been used; small ones do not wait', async () => {
    const server = await faultServer()
    server.at('/events/a/responses', list(large(5)))
    server.at('/events/b/responses', list(large(5)))
    server.at('/events/c/responses', list(items))
    const source = numberText(server.baseUrl, { requestTimeoutMs: 3000 })
    const first = await wholeOf(source.responses('a'))
    let isThere = false
    const second = wholeOf(source.responses('b')).then((reading) => {
      isThere = true
      return reading
    })
    expect(await valuesOf(source.responses('c'))).toEqual(items)
    // Longer than the request may take: the wait for memory does not count.
    await setTimeout(4000)
    expect(isThere).toBe(false)
    first[Symbol.dispose]()
    using reading = await second
    expect(await itemsOf(reading)).toHaveLength(1)
    expect(source.counts).toMatchObject({ requests: 3, retries: 0 })
  })

  test('a chain of large pages can finish while others wait for memory', async () => {
    const server = await faultServer()
    server.at('/events/a/responses', list(large(5), { Link: '<?page=2>; rel=next' }))
    server.at('/events/a/responses?page=2', list(large(5)))
    server.at('/events/b/responses', list(large(5)))
    const source = numberText(server.baseUrl, { concurrency: 1 })
    const read = async (id: string): Promise<number> => (await valuesOf(source.responses(id))).length
    expect(await Promise.all([read('a'), read('b')])).toEqual([2, 1])
  })

  test('an events list that is kept does not stand in the way of responses', async () => {
    const server = await faultServer()
    server.always(list(large(5)))
    const source = numberText(server.baseUrl)
    using events = await source.events()
    expect(await valuesOf(source.responses('a'))).toHaveLength(1)
    expect(await itemsOf(events)).toHaveLength(1)
  })

  test('a try that fails gives its place back while it waits for the next', async () => {
    const server = await faultServer()
    server.at(
      '/events/a/responses',
      send({ body: large(6) }, async (socket, head, body) => {
        socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
        socket.write(body.subarray(0, 5 * 1024 * 1024))
        await vi.waitFor(() => expect(source.counts.bytesReceived).toBe(5 * 1024 * 1024), {
          interval: 5,
          timeout: 30_000,
        })
        socket.resetAndDestroy()
      }),
    )
    server.always(list(large(5)))
    // Forty times the longest wait: on a busy machine a large body takes more than a second.
    const source = numberText(server.baseUrl, { random: () => 40 })
    const finished: string[] = []
    const read = async (id: string): Promise<void> => {
      await valuesOf(source.responses(id))
      finished.push(id)
    }
    const first = read('a')
    await vi.waitFor(() => expect(source.counts.retries).toBe(1), { interval: 5, timeout: 30_000 })
    await Promise.all([first, read('b')])
    expect(finished).toEqual(['b', 'a'])
  })

  test('an abort ends the wait for memory', async () => {
    const server = await faultServer()
    server.always(list(large(5)))
    const controller = new AbortController()
    const source = numberText(server.baseUrl, { signal: controller.signal })
    using first = await wholeOf(source.responses('a'))
    const second = errorOf(source.responses('b'))
    await vi.waitFor(() => expect(source.counts.bytesReceived).toBeGreaterThan(9_000_000), {
      timeout: 30_000,
    })
    controller.abort()
    expect(await second).toBeInstanceOf(InterruptedError)
    expect(await itemsOf(first)).toHaveLength(1)
  })
})
