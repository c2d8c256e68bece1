import { describe, expect, test } from 'vitest'
import { onlyRow, onlyReject, responsesIn } from '../../support/accounts/normalising.ts'

const read = (field: string, source: string) => responsesIn(`[{"id":1,"${field}":${source}}]`)
const digits = (count: number): string => '9'.repeat(count)

describe('P14 an amount is exact as sent', () => {
  test.each([
    ['two decimals', '"12.50"', '12.50'],
    ['one decimal', '"12.5"', '12.5'],
    ['three decimals', '"12.505"', '12.505'],
    ['no decimals', '"12"', '12'],
    ['negative', '"-12.50"', '-12.50'],
    ['zero', '"0.00"', '0.00'],
    ['zeros in front', '"007.50"', '007.50'],
    [
      'more digits than a double has',
      '"12345678901234567890.12345678901234567890"',
      '12345678901234567890.12345678901234567890',
    ],
    ['a number', '12.5', '12.5'],
    ['a number with a final zero', '12.50', '12.50'],
    ['a number without decimals', '12', '12'],
    ['a negative number', '-0.75', '-0.75'],
    ['a number with more digits than a double has', '0.12345678901234567890', '0.12345678901234567890'],
    ['a number beyond a double', '1e400', '1e400'],
    ['the most digits before the point', `"${digits(131_072)}"`, digits(131_072)],
    ['the most digits behind the point', `"0.${digits(16_383)}"`, `0.${digits(16_383)}`],
    ['the largest exponent', '1e131071', '1e131071'],
    ['the smallest exponent', '1e-16383', '1e-16383'],
    ['zeros behind the point, lifted over it', `0.001e131074`, '0.001e131074'],
    ['nothing, times a power of ten', '0e200000', '0e200000'],
  ])('%s', (_, source, amount) => {
    for (const field of ['amount', 'processing_fee'] as const) {
      const list = read(field, source)
      expect(onlyRow(list).payment?.[field]).toBe(amount)
      expect(onlyRow(list)._extra).toBeNull()
      expect(list.setAside).toBe(0)
    }
  })
})

describe('P14 what is no amount is set aside', () => {
  test.each([
    ['words', '"abc"'],
    ['empty', '""'],
    ['NaN', '"NaN"'],
    ['Infinity', '"Infinity"'],
    ['an exponent as text', '"1e400"'],
    ['thousands', '"1,234.50"'],
    ['a comma', '"12,50"'],
    ['a plus', '"+12.50"'],
    ['no digit before the point', '".50"'],
    ['no digit behind the point', '"12."'],
    ['a currency', '"€12.50"'],
    ['a space', '"12.50 "'],
    ['a line break', String.raw`"12.50\n"`],
    ['two points', '"1.2.3"'],
    ['hexadecimal', '"0x10"'],
    ['digits of another script', '"١٢"'],
    ['more digits before the point than numeric holds', `"${digits(131_073)}"`],
    ['more digits behind the point than numeric holds', `"0.${digits(16_384)}"`],
    ['true', 'true'],
    ['an array', '["12.50"]'],
    ['an object', '{"value":"12.50"}'],
  ])('%s', (_, source) => {
    const list = read('amount', source)
    expect(onlyRow(list)).toMatchObject({ kind: 'payment', payment: { amount: null, processing_fee: null } })
    expect(JSON.stringify(onlyRow(list)._extra)).toBe(`{"amount":${source}}`)
    expect(list.setAside).toBe(1)
    expect(list.warnings).toEqual([expect.stringContaining('amount (1)')])
  })
})

test('an amount whose key is spelt with an escape keeps its final zero too', () => {
  expect(onlyRow(responsesIn(String.raw`[{"id":1,"amoun\u0074":12.50}]`)).payment?.amount).toBe('12.50')
})

describe('a quantity', () => {
  test.each([
    ['an integer', '2', '2'],
    ['zero', '0', '0'],
    ['negative', '-2', '-2'],
    ['digits as text', '"2"', '2'],
    ['beyond 2^53', '9007199254740993', '9007199254740993'],
    ['the largest bigint', '9223372036854775807', '9223372036854775807'],
    ['2.0', '2.0', '2'],
  ])('%s: taken', (_, source, quantity) => {
    expect(onlyRow(read('quantity', source))).toMatchObject({ quantity, _extra: null })
  })

  test.each([
    ['a fraction', '2.5'],
    ['words', '"two"'],
    ['zeros in front', '"02"'],
    ['empty', '""'],
    ['beyond bigint', '9223372036854775808'],
    ['far beyond bigint', '1e400'],
    ['true', 'true'],
    ['an object', '{"adults":2}'],
  ])('%s: set aside', (_, source) => {
    const list = read('quantity', source)
    expect(onlyRow(list)).toMatchObject({ quantity: null, kind: 'reply' })
    expect(JSON.stringify(onlyRow(list)._extra)).toBe(`{"quantity":${source}}`)
    expect(list.setAside).toBe(1)
  })
})

describe('integers beyond 2^53 in _extra are exact', () => {
  test.each([
    '9007199254740993',
    '-9007199254740993',
    '[{"a":[9007199254740993]}]',
    '1e400',
    '123456789012345678901234567890',
  ])('%s', (source) => {
    expect(JSON.stringify(onlyRow(read('reference', source))._extra)).toBe(`{"reference":${source}}`)
  })
})

describe('a number that no jsonb holds makes the item a reject, which keeps its id', () => {
  test.each([
    ['a large exponent', 'reference', '1e131072'],
    ['a small exponent', 'reference', '1e-16384'],
    ['many digits', 'reference', digits(131_073)],
    ['deep inside', 'reference', '[{"a":[1e131072]}]'],
    ['inside a slot', 'slots', '[{"reference":1e131072}]'],
    ['an amount', 'amount', '1e131072'],
    ['a fee', 'processing_fee', '1e-16384'],
    ['a quantity', 'quantity', '1e131072'],
    ['a name', 'name', '1e131072'],
    ['an exponent beyond all measure', 'reference', `1e${digits(400)}`],
    ['nothing, with an exponent that Postgres refuses', 'amount', '0e2147483648'],
  ])('%s', (_, field, source) => {
    const list = read(field, source)
    expect(onlyReject(list)).toMatchObject({ reason: 'number_out_of_range', path: '$[0]', id: '1' })
    expect(list.unreadableId).toBe(false)
    expect(list.setAside).toBe(0)
  })
})
