import { describe, expect, test } from 'vitest'
import { createKeyRemover, MIN_KEY_LENGTH_IN_ITEMS } from '../../../src/common/json/key-in-items.ts'
import { collect } from '../../support/accounts/read-items.ts'

const key = 'k3y-of+the/account=='
const removed = '[key removed]'

function valuesOf(text: string, of = key): unknown[] {
  return collect(text, createKeyRemover(of)).items.map(({ value }) => value)
}

/** Each character as JSON may write it. */
function numbered(text: string): string {
  return text.replace(/./g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

describe('X2 the key is removed from items', () => {
  test.each([
    ['as a whole value', key, removed],
    ['as a word', `call us with ${key}, please`, `call us with ${removed}, please`],
    ['twice', `${key} ${key}`, `${removed} ${removed}`],
    ['in an address', `https://x/?key=${encodeURIComponent(key)}&a=1`, `https://x/?key=${removed}&a=1`],
    ['behind a backslash', `C:\\${key}`, `C:${removed}`],
  ])('%s', (_, text, stored) => {
    expect(valuesOf(JSON.stringify([{ message: text }]))).toEqual([{ message: stored }])
  })

  test.each([
    ['with escaped slashes', key.replaceAll('/', '\\/')],
    ['with its signs as numbers', key.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d')],
    ['with a letter of its longest word as a number', key.replace('account', 'a\\u0063count')],
    ['with every character as a number', numbered(key)],
    ['as an address, with its per cent signs as numbers', encodeURIComponent(key).replaceAll('%', '\\u0025')],
    ['as HTML, with its ampersands as numbers', key.replaceAll('+', '\\u0026#43;')],
  ])('however its JSON is written: %s', (_, written) => {
    expect(valuesOf(`[{"message":"${written}"}]`)).toEqual([{ message: removed }])
  })

  test('the hyphens of a key, as programs write them that put JSON into HTML', () => {
    const hyphens = 'sk-live-4f9aKd-83jsLq02'
    const text = `[{"title":"${hyphens.replaceAll('-', '\\u002d')}"},{"title":"${hyphens.replaceAll('-', '&#45;')}"}]`
    expect(createKeyRemover(hyphens).mayBeIn(Buffer.from(text))).toBe(true)
    expect(valuesOf(text, hyphens)).toEqual([{ title: removed }, { title: removed }])
  })

  test('an item with other numbers is not said to hold it', () => {
    const list = collect('[{"title":"Caf\\u00e9 \\u0026 \\u0061ccount"}]', createKeyRemover(key))
    expect(list).toMatchObject({ containedKey: false, items: [{ value: { title: 'Café & account' } }] })
  })

  test('at every level, in names of fields too, and everything else stays as it is', () => {
    const text = `[{"id":1,"__proto__":{"${key}":"${key}"},"slots":[{"name":"${key}","n":[null,true,9007199254740993]}]}]`
    expect(JSON.stringify(valuesOf(text))).toBe(text.replaceAll(key, removed))
  })

  test('whatever the nesting: what is too deep to be stored is left to the rejects', () => {
    const deep = `[{"id":1,"a":${'['.repeat(100_000)}"${key}"${']'.repeat(100_000)}}]`
    expect(collect(deep, createKeyRemover(key))).toMatchObject({ containedKey: true })
  })

  test('a list without it is not touched, and not said to hold it', () => {
    const list = collect(`[{"message":"${key.slice(0, -3)}"}]`, createKeyRemover(key))
    expect(list.containedKey).toBe(false)
    expect(list.items[0]?.value).toEqual({ message: key.slice(0, -3) })
  })
})

test.each(['a', '2024', 'x'.repeat(MIN_KEY_LENGTH_IN_ITEMS - 1)])(
  'X2 a key that may be an ordinary word or number changes no item: %s',
  (short) => {
    const text = `[{"message":"${short}","year":"2024"}]`
    expect(collect(text, createKeyRemover(short))).toMatchObject({ containedKey: false })
    expect(valuesOf(text, short)).toEqual([{ message: short, year: '2024' }])
  },
)
