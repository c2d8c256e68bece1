import { expect, test } from 'vitest'
import { readArray } from '../../../src/db/type-parsers.ts'

test.each([
  ['{}', []],
  ['{1,2}', ['1', '2']],
  ['{NULL,"NULL",null}', [null, 'NULL', 'null']],
  ['{a,"b,c","d\\"e","f\\\\g","{}",""}', ['a', 'b,c', 'd"e', 'f\\g', '{}', '']],
  [
    '{{1,2},{3,4}}',
    [
      ['1', '2'],
      ['3', '4'],
    ],
  ],
  ['[0:1]={1,2}', ['1', '2']],
  ['{"two\nlines"}', ['two\nlines']],
])('the array %j is read', (text, elements) => {
  expect(readArray(text, (element) => element)).toEqual(elements)
})
