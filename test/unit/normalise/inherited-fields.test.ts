import { expect, test } from 'vitest'
import { response } from '../../support/accounts/normalising.ts'

test.each([
  ['a value', 'added'],
  ['a function', () => 'added'],
])('%s that a program adds to all objects (Object.prototype) is no field of an item', (_, value) => {
  const sent = { name: 'Ada', nickname: 'A', slots: [{ name: 'Bar', colour: 'red' }] }
  const usual = response(sent)
  Reflect.set(Object.prototype, 'addedToAll', value)
  let text: string
  try {
    const { _extra, slots } = response(sent)
    text = JSON.stringify([_extra, slots])
  } finally {
    Reflect.deleteProperty(Object.prototype, 'addedToAll')
  }
  expect(text).toBe(JSON.stringify([usual._extra, usual.slots]))
})
