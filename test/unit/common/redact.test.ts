import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { InvalidResponseError, UnreachableError } from '../../../src/common/errors.ts'
import { createRedactor } from '../../../src/common/redact.ts'

const key = 'ab"c/d+e=f\\ 9'
const redactor = createRedactor(key)

describe('the key is found in every spelling', () => {
  test.each([
    ['as it is', key],
    ['in JSON', JSON.stringify(key).slice(1, -1)],
    ['in JSON with escaped slashes', JSON.stringify(key).slice(1, -1).replace('/', '\\/')],
    ['in JSON as numbers', Array.from(key, (c) => `\\u00${c.charCodeAt(0).toString(16)}`).join('')],
    ['in an address', encodeURIComponent(key)],
    ['in an address, in lower case', encodeURIComponent(key).toLowerCase()],
    ['in a form', new URLSearchParams([['', key]]).toString().slice(1)],
    ['in HTML', key.replace('"', '&quot;')],
    ['in HTML as numbers', Array.from(key, (c) => `&#${c.charCodeAt(0)};`).join('')],
  ])('%s', (_, spelling) => {
    expect(redactor.text(`<${spelling}>`)).toBe('<[key removed]>')
  })
})

describe('an excerpt', () => {
  test('has at most 200 characters and says that there was more', () => {
    expect(redactor.excerpt('x'.repeat(300))).toBe(`${'x'.repeat(200)}…`)
    expect(redactor.excerpt('x'.repeat(200))).toBe('x'.repeat(200))
  })

  test('loses the key before it is cut, so that no half of it is left', () => {
    expect(redactor.excerpt(`${'x'.repeat(195)}${key}`)).toBe(`${'x'.repeat(195)}[key …`)
  })

  test('has no control characters, escapes or turned writing', () => {
    expect(redactor.excerpt('a\u001B[31mb\r\n\tc\u202Ed\u0000e\u009Bf')).toBe('a [31mb c d e f')
  })

  test('does not tear a character apart', () => {
    expect(redactor.excerpt('😀'.repeat(300)).isWellFormed()).toBe(true)
  })
})

describe('an error', () => {
  test('loses the key in message, stack and every cause', () => {
    const cause = new InvalidResponseError(`inner ${key}`, { cause: new Error(`innermost ${key}`) })
    const error = redactor.error(new UnreachableError(`outer ${key}`, { cause }))
    expect(error).toBeInstanceOf(UnreachableError)
    expect(inspect(error, { depth: 10 })).not.toContain(key)
    expect(error.message).toBe('outer [key removed]')
  })

  test('keeps of a foreign cause only name, words and code: no headers, no socket', () => {
    const cause = Object.assign(new Error('other side closed'), {
      code: 'UND_ERR_SOCKET',
      headers: { 'x-api-key': key },
    })
    const { cause: kept } = redactor.error(new UnreachableError('broken', { cause }))
    expect(kept).toMatchObject({ message: 'other side closed', code: 'UND_ERR_SOCKET' })
    expect(kept).not.toHaveProperty('headers')
  })

  test('of another family, a fault of this program, is copied the same way', () => {
    const fault = Object.assign(new TypeError(`no ${key}`), { data: key, code: 'ERR_SOMETHING' })
    const shown = inspect(redactor.error(fault), { depth: 10 })
    expect(shown).not.toContain(key)
    expect(shown).toMatch(/TypeError\]?: no \[key removed\]\n\s+at .*\n[^]*ERR_SOMETHING/)
  })

  test('keeps of a syntax error no piece of the text', () => {
    const cause = new SyntaxError(`Unexpected token 'x', ..."${key.slice(2, 8)}"... is not valid JSON`)
    const { cause: kept } = redactor.error(new InvalidResponseError('not JSON', { cause }))
    expect(inspect(kept)).not.toContain(key.slice(2, 8))
  })

  test('a circle of causes ends', () => {
    const error = new InvalidResponseError('round')
    error.cause = error
    expect(() => redactor.error(error)).not.toThrow()
  })
})

test('a key too short to be a secret does not blot out ordinary words', () => {
  expect(createRedactor('k').text('the key is not known')).toBe('the key is not known')
})
