import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { displayWidth, graphemesOf } from '../../../src/common/text/display-width.ts'

/** All characters of the basic plane but the control characters, which no text has that is shown. */
const characters = Array.from({ length: 0x10000 }, (_, code) => code)
  .filter((code) => code >= 0x20 && !(code >= 0x7f && code <= 0x9f) && !(code >= 0xd800 && code <= 0xdfff))
  .map((code) => String.fromCharCode(code))

test('every character takes the columns that the library says, alone and beside another one', () => {
  const wrong = characters.filter(
    (character) =>
      displayWidth(character) !== stringWidth(character) ||
      displayWidth(`a${character}é`) !== stringWidth(`a${character}é`),
  )
  expect(wrong).toEqual([])
})

test('a text is cut between the characters that a reader sees', () => {
  const segmenter = new Intl.Segmenter()
  const texts = [
    'plain “text” – …',
    'e\u0301\u0302le\u0300ve',
    '👨‍👩‍👧 🇩🇪🇫🇷',
    'नमस्ते',
    '',
    ...characters.filter((_, n) => n % 97 === 0),
  ]
  for (const text of texts)
    expect([...graphemesOf(text)]).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
})
