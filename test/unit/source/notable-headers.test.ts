import { expect, test } from 'vitest'
import { notableHeaders } from '../../../src/source/http/notable-headers.ts'

test.each([
  'retry-after',
  'ratelimit',
  'ratelimit-reset',
  'x-ratelimit-remaining',
  'x-rate-limit-limit',
  'link',
  'content-range',
  'x-total',
  'x-total-pages',
  'total-count',
  'x-page',
  'x-page-size',
  'x-pagination-total-count',
  'x-per-page',
  'x-next-page',
  'etag',
  'last-modified',
  'cache-control',
  'age',
])('%s is a hint', (name) => {
  expect(notableHeaders([{ [name]: 'x' }])).toEqual([name])
})

test.each([
  'content-type',
  'set-cookie',
  'x-request-id',
  'x-pages-of-ada@example.org',
  `x-page-${'a'.repeat(41)}`,
])('%s is none', (name) => {
  expect(notableHeaders([{ [name]: 'x' }])).toEqual([])
})

test('each name is told once, in order, and no more than twenty', () => {
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`ratelimit-${n + 10}`, 'x']))
  expect(notableHeaders([{ link: 'x' }, { age: 'x', link: 'y' }])).toEqual(['age', 'link'])
  expect(notableHeaders([many])).toHaveLength(20)
})
