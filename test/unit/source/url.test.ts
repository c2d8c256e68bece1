import { describe, expect, test } from 'vitest'
import {
  ConfigurationError,
  InvalidResponseError,
  CrossOriginError,
  UsageError,
} from '../../../src/common/errors.ts'
import { resolvePath, baseAddress, serviceUrl } from '../../../src/source/url.ts'
import { assertValidApiKey } from '../../../src/source/api-key.ts'
import { readNextLinks } from '../../../src/source/list/link-header.ts'
import { nextPage, paginationSigns } from '../../../src/source/list/pagination-signs.ts'
import { followRedirect } from '../../../src/source/http/redirects.ts'

const base = new URL('https://events.example/api/v1')

describe('the base address', () => {
  test.each([
    'https://events.example/api/v1',
    'https://events.example/api/v1/',
    'https://events.example/api/v1//',
  ])('%s gives the same addresses', (text) => {
    const address = resolvePath(baseAddress(text), 'events')
    expect(address.href).toBe('https://events.example/api/v1/events')
  })

  test('may be the root', () => {
    expect(resolvePath(new URL('https://events.example'), 'ping').pathname).toBe('/ping')
  })

  test.each([
    'file:///etc/passwd',
    'ftp://events.example/api',
    'https://me@events.example/api/v1',
    'https://me:hunter2@events.example/api/v1',
    'https://events.example/api/v1?key=hunter2',
    'https://events.example/api/v1#hunter2',
  ])('X3 %s is refused without being quoted', (text) => {
    const read = (): unknown => serviceUrl(text, true)
    expect(read).toThrow(UsageError)
    expect(read).not.toThrow(/hunter2/)
  })
})

test.each([
  'file:///etc/passwd',
  'events.example/api/v1',
  'https://me:hunter2@events.example/api/v1',
  'https://events.example/api/v1?',
  'https://events.example/api/v1#hunter2',
])('X3 %s is refused with the same message by settings and by runs', (text) => {
  for (const read of [() => baseAddress(text), () => serviceUrl(text, true)]) {
    expect(read).toThrow(/must (?:be|begin|hold|have) /)
    expect(read).not.toThrow(/hunter2|passwd/)
  }
})

describe('an event id stays in its segment', () => {
  test.each([
    ['spring-fair', 'spring-fair'],
    ['a/b', 'a%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['a b', 'a%20b'],
    ['..%2F..', '..%252F..'],
    ['%2e%2e', '%252e%252e'],
    ['...', '...'],
    ['a\\b', 'a%5Cb'],
    ['\n', '%0A'],
    ['Füße 🎉', 'F%C3%BC%C3%9Fe%20%F0%9F%8E%89'],
    ["it's(!)*~", "it's(!)*~"],
  ])('%j', (id, segment) => {
    expect(resolvePath(base, 'events', id, 'responses').href).toBe(
      `https://events.example/api/v1/events/${segment}/responses`,
    )
  })

  test.each(['', '.', '..', '\uD800', 'a\uDC00b'])('%j is refused', (id) => {
    expect(() => resolvePath(base, 'events', id, 'responses')).toThrow(InvalidResponseError)
  })
})

describe('the key', () => {
  test.each([
    '',
    ' ',
    ' \t ',
    'hunter2\n',
    'hunter2\r\nX-Admin: 1',
    'hunter2 ü',
    'hunter2\u0000',
    'hunter2\t',
  ])('%j is refused without being quoted', (key) => {
    expect(() => assertValidApiKey(key)).toThrow(ConfigurationError)
    expect(() => assertValidApiKey(key)).not.toThrow(/hunter2/)
  })

  test('may have any printable ASCII character', () => {
    expect(() => assertValidApiKey('aZ09 !"#$%&()*+,-./:;<=>?@[]^_{|}~')).not.toThrow()
  })
})

describe('redirects', () => {
  const from = new URL('https://events.example/api/v1/events')

  test('H15 lead to another path of the same origin, three times', () => {
    const way = [from]
    for (const location of ['/a', 'b?c=1', 'https://events.example:443/d#e']) {
      way.push(followRedirect(way, 302, location))
    }
    expect(way.map((url) => url.pathname + url.search)).toEqual(['/api/v1/events', '/a', '/b?c=1', '/d'])
    expect(() => followRedirect(way, 302, '/e')).toThrow(/more than 3 times/)
  })

  test.each([
    'http://events.example/api/v1/events',
    'https://events.example:8443/events',
    'https://www.events.example/events',
    '//other.example/',
    'https://events.example@other.example/',
    'data:application/json,[]',
  ])('H16 to %s are refused', (location) => {
    expect(() => followRedirect([from], 301, location)).toThrow(CrossOriginError)
  })

  test('in a circle, without a target or with one that is none are a broken contract', () => {
    expect(() => followRedirect([from], 301, from.href)).toThrow(/in a circle/)
    expect(() => followRedirect([from], 301, null)).toThrow(InvalidResponseError)
    expect(() => followRedirect([from], 301, 'https://[')).toThrow(InvalidResponseError)
  })
})

describe('the Link header', () => {
  test.each([
    ['</events?page=2>; rel="next"', ['/events?page=2']],
    ['</p>; rel=next', ['/p']],
    ['</p>;REL="NEXT"', ['/p']],
    ['</1>; rel="first", </2>; rel="prev next", </9>; rel=last', ['/2']],
    ['</a,b>; title="a, b; rel=\\"next\\""; rel="last"', []],
    ['</a>; title="x;y,z"; rel="next"', ['/a']],
    ['</a>; rel="last"; rel="next"', []],
    ['</a>; rel="next"; anchor="/other"', []],
    ['</a>; rel="next-archive"', []],
    ['</a>; crossorigin; rel=next , ,</a>; rel=next', ['/a']],
    ["</a>; rel=next; title*=UTF-8''x", ['/a']],
    ['</a>; rel="next";', ['/a']],
    ['</a>;; rel="next" ; , </b>; ;rel=last;', ['/a']],
    ['', []],
  ])('%s', (header, targets) => {
    expect(readNextLinks(header)).toEqual({ targets, unreadable: false })
  })

  test.each([
    ['/events?page=2; rel=next', []],
    ['</a', []],
    ['</a>; rel="next', ['/a']],
    ['</a>; rel=next <b>; rel=x', ['/a']],
    ['</a>; rel=next; =x, </b>; rel=last', ['/a']],
    ['</a>; rel=last <b>; rel=x', []],
  ])('%s cannot be read, and that is said; a next page before the fault counts', (header, targets) => {
    expect(readNextLinks(header)).toEqual({ targets, unreadable: true })
  })

  test('H17 names one next page, of the same origin', () => {
    const page = new URL('https://events.example/api/v1/events')
    expect(nextPage({ link: '<?page=2#x>; rel=next' }, page).url?.href).toBe(`${page.href}?page=2`)
    expect(nextPage({ link: ['</1>; rel=prev', '</3>; rel=next'] }, page).url?.pathname).toBe('/3')
    expect(() => nextPage({ link: '<https://other.example/2>; rel=next' }, page)).toThrow(
      InvalidResponseError,
    )
    expect(() => nextPage({ link: '</2>; rel=next, </3>; rel=next' }, page)).toThrow(InvalidResponseError)
  })
})

describe('signs of more pages', () => {
  test.each(['x-total-count', 'x-total', 'total-count', 'x-pagination-total-count'])('%s', (name) => {
    expect(paginationSigns([{ [name]: '3' }], 2)).toHaveLength(1)
    expect(paginationSigns([{ [name]: '2' }], 2)).toEqual([])
    expect(paginationSigns([{ [name]: 'many' }], 2)).toEqual([])
  })

  test('a number of pages, a next page without a link', () => {
    expect(paginationSigns([{ 'x-total-pages': '2' }], 2)).toHaveLength(1)
    expect(paginationSigns([{ 'x-total-pages': '2' }, { 'x-total-pages': '2' }], 2)).toEqual([])
    expect(paginationSigns([{ 'x-next-page': '2' }], 2)).toHaveLength(1)
    expect(paginationSigns([{ 'x-next-page': '2' }, { 'x-next-page': '' }], 2)).toEqual([])
  })
})
