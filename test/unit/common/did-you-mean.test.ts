import { expect, test } from 'vitest'
import { didYouMean, nearestName } from '../../../src/common/text/did-you-mean.ts'

test('of names that differ in upper and lower case alone, the nearest is the one written most alike', () => {
  expect(nearestName('Baar', ['bar', 'Bar', 'BAR'])).toBe('Bar')
  expect(nearestName('baar', ['Bar', 'BAR', 'bar'])).toBe('bar')
  expect(didYouMean('Baar', ['bar', 'Bar'])).toBe(' (did you mean Bar?)')
})

test('case counts less than letters', () => {
  expect(nearestName('BAR', ['BARN', 'bar'])).toBe('bar')
})
