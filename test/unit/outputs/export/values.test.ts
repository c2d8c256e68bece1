import { expect, test } from 'vitest'
import { decimalUnits } from '../../../../src/outputs/export/formats/decimal-units.ts'
import {
  dateCell,
  numberCell,
  textCell,
  timeCell,
} from '../../../../src/outputs/export/formats/spreadsheet-values.ts'

test.each([
  ['12.5', 12_500_000n],
  ['-0.0000005', -1n],
  ['0.0000004', 0n],
  ['-0', 0n],
  ['99999999999999999999999999999999.999999', 10n ** 38n - 1n],
  ['99999999999999999999999999999999.9999995', null],
  ['NaN', null],
  ['Infinity', null],
])('%s is %s millionths', (text, units) => {
  expect(decimalUnits(text, 6)).toBe(units)
})

test('a number without places is rounded, half away from zero', () => {
  expect(['2.5', '-2.5', '2.4999', '7'].map((text) => decimalUnits(text, 0))).toEqual([3n, -3n, 2n, 7n])
})

test.each([
  ['123456789012345', 123_456_789_012_345],
  ['-123456789012345', -123_456_789_012_345],
  ['1234567890123456', '1234567890123456'],
  ['100000000000000000000', '100000000000000000000'],
  ['0.10', 0.1],
  ['12345678901234.56', '12345678901234.56'],
  ['0', 0],
  ['NaN', 'NaN'],
])('the cell of the number %s is %j', (text, cell) => {
  expect(numberCell(text)).toBe(cell)
})

test.each([
  [Date.UTC(2026, 0, 1) / 1000, 46_023],
  [Date.UTC(1900, 2, 1) / 1000, 61],
  [Date.UTC(1900, 1, 28, 23, 59, 59) / 1000, '1900-02-28 23:59:59'],
  [Date.UTC(9999, 11, 31, 23, 59, 59) / 1000, 2_958_465.999_988_426],
  [Date.UTC(10_000, 0, 1, 5, 29, 59) / 1000, '10000-01-01 05:29:59'],
  [Date.UTC(-43, 2, 15, 12) / 1000, '0044-03-15 12:00:00 BC'],
])('the cell of %s seconds since 1970 is %j', (seconds, cell) => {
  if (typeof cell === 'string') expect(timeCell(seconds)).toBe(cell)
  else expect(timeCell(seconds)).toBeCloseTo(cell, 9)
})

test.each([
  [Date.UTC(2026, 0, 1) / 1000, 46_023],
  [Date.UTC(1900, 0, 1) / 1000, '1900-01-01'],
  [Date.UTC(10_000, 0, 1) / 1000, '10000-01-01'],
  [Date.parse('0000-01-31T00:00:00Z') / 1000, '0001-01-31 BC'],
])('the cell of the day %s seconds since 1970 is %j', (seconds, cell) => {
  expect(dateCell(seconds)).toBe(cell)
})

test('a text is cut where a cell ends, never within a character, and what looks like an escape is none', () => {
  let cuts = 0
  const cell = (text: string) => textCell(text, () => (cuts += 1))
  expect(cell('x'.repeat(32_767))).toHaveLength(32_767)
  expect(cuts).toBe(0)
  expect(cell(`${'x'.repeat(32_766)}😀`)).toBe('x'.repeat(32_766))
  expect(cuts).toBe(1)
  expect(cell('_x0041_ _x41_ _X0041_ \uFFFF')).toBe('_x005F_x0041_ _x41_ _X0041_ \uFFFD')
})
