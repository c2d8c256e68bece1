/** Parts of whole rows, ranges of pages that take a fraction of a second, and one write at a time. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPages } from '../../../../src/outputs/transfer/database/page-ranges.ts'
import { rowCollector, writeBehind } from '../../../../src/outputs/transfer/database/read-tables.ts'

test('whatever the database cuts, each part is of whole rows, and nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 900_000 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 400_000 }),
      async (lengths, cut) => {
        const content = Buffer.concat(lengths.map((length) => Buffer.from(`${'x'.repeat(length - 1)}\n`)))
        const parts: Buffer[] = []
        const rows = rowCollector(async (part) => {
          parts.push(part)
        })
        for (let at = 0; at < content.length; at += cut) await rows.add(content.subarray(at, at + cut))
        await rows.end()
        expect(Buffer.concat(parts).equals(content)).toBe(true)
        expect(parts.every((part) => part.at(-1) === 0x0a)).toBe(true)
        expect(parts.every((part) => part.length < 3_000_000)).toBe(true)
      },
    ),
    { numRuns: 50 },
  )
})

test.each([
  ['quick', 64, 5, 1000, 256],
  ['slow', 64, 1000, 1000, 16],
  ['full of long values', 64, 5, 64_000_000, 4],
  ['a page that takes a second', 1, 1000, 0, 1],
  ['very quick for long', 65_536, 1, 0, 65_536],
])('a range that was %s', (_, pages, ms, bytes, next) => {
  expect(nextPages(pages, ms, bytes)).toBe(next)
})

const part = { table: 'events', content: Buffer.alloc(1) }

test('a write is under way while the next part is read, and never two', async () => {
  let underWay = 0
  const most: number[] = []
  await writeBehind(
    async (receive) => {
      for (let count = 0; count < 5; count += 1) await receive(part)
      expect(underWay).toBe(1)
    },
    async () => {
      underWay += 1
      most.push(underWay)
      await new Promise((resolve) => setTimeout(resolve, 1))
      underWay -= 1
    },
  )
  expect([underWay, ...new Set(most)]).toEqual([0, 1])
})

test('a write that failed is thrown at the next part, and at the end', async () => {
  const full = () => Promise.reject(new Error('full'))
  const written = writeBehind(async (receive) => {
    await receive(part)
    await expect(receive(part)).rejects.toThrow('full')
  }, full)
  await expect(written).rejects.toThrow('full')
})

test('a write that is under way ends before what made the reading fail is thrown', async () => {
  let hasEnded = false
  const written = writeBehind(
    async (receive) => {
      await receive(part)
      throw new Error('gone')
    },
    async () => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      hasEnded = true
    },
  )
  await expect(written).rejects.toThrow('gone')
  expect(hasEnded).toBe(true)
})
