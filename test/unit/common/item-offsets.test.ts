import fc from 'fast-check'
import { expect, test } from 'vitest'
import { itemOffsets } from '../../../src/common/json/item-offsets.ts'

const textsOf = (page: string): string[] => itemOffsets(page).map(({ start, end }) => page.slice(start, end))
const depthsOf = (page: string): number[] => itemOffsets(page).map(({ depth }) => depth)

test('each item is found by its own text, without the white space around it', () => {
  expect(textsOf('[]')).toEqual([])
  expect(textsOf(' [ \n ] ')).toEqual([])
  expect(textsOf('[1,"a",null]')).toEqual(['1', '"a"', 'null'])
  expect(textsOf('\t[ {"id" : 1} ,\n[ 1, 2 ]\r\n, -1.5e3 ]\n')).toEqual(['{"id" : 1}', '[ 1, 2 ]', '-1.5e3'])
})

test('brackets, commas and quotes inside texts are text', () => {
  expect(textsOf(String.raw`["a,b","]}","\"","\\",{"[,":"\\\"]"}]`)).toEqual([
    '"a,b"',
    '"]}"',
    String.raw`"\""`,
    String.raw`"\\"`,
    String.raw`{"[,":"\\\"]"}`,
  ])
})

test('depth counts objects and arrays, the item itself being the first level', () => {
  expect(depthsOf('[1,"[[[",{},[[]],{"a":[{"b":1}]},{"a":[],"b":{}}]')).toEqual([0, 0, 1, 2, 3, 2])
})

test('P2 nesting of 100,000 is measured without recursion', () => {
  expect(depthsOf(`[1,${'['.repeat(100_000)}${']'.repeat(100_000)}]`)).toEqual([0, 100_000])
})

test('text that is no array ends all the same', () => {
  for (const text of ['', '[', '["', '{"a":1}', '[1,{"a":"', '[1,2]]]', 'x'])
    expect(() => itemOffsets(text)).not.toThrow()
})

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/)

/** JSON with white space wherever it is allowed, and its item texts. */
const spacedArray = fc
  .array(fc.tuple(space, fc.json({ maxDepth: 4 }), fc.nat(3), space), { maxLength: 12 })
  .map((entries) =>
    entries.map(([before, json, indent, after]) => ({ before, json: respaced(json, indent), after })),
  )

function respaced(json: string, indent: number): string {
  return JSON.stringify(JSON.parse(json), null, indent)
}

test('whatever the white space, the slices are the items', () => {
  fc.assert(
    fc.property(spacedArray, space, (entries, around) => {
      const page = `${around}[${entries.map(({ before, json, after }) => before + json + after).join(',')}]${around}`
      expect(textsOf(page)).toEqual(entries.map(({ json }) => json))
    }),
    { numRuns: 500 },
  )
})

test('the scanner never disagrees with JSON.parse, neither on the number of items nor on what they are', () => {
  const anyArray = fc.array(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }))
  fc.assert(
    fc.property(anyArray, fc.nat(4), (values, indent) => {
      const page = JSON.stringify(values, null, indent)
      const parsed: unknown[] = JSON.parse(page)
      expect(textsOf(page).map((text): unknown => JSON.parse(text))).toEqual(parsed)
      expect(depthsOf(page)).toEqual(parsed.map(depthOf))
    }),
    { numRuns: 500 },
  )
})

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
