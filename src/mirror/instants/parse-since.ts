import { didYouMean } from '../../common/text/did-you-mean.ts'
import { InvalidValueError, quote } from '../../common/parse-values.ts'
import { isObject } from '../../common/json/exact.ts'
import { number, object, type Field } from '../calls/input.ts'
import { instantField, parsePastInstant, type InstantInput } from './parse-instant.ts'

/** From when on: after a run, since midnight of yesterday in the zone of each account, or since a moment. */
export type Since = { readonly run: number } | 'yesterday' | InstantInput

export const sinceField: Field<Since> = (sent, name) => {
  if (sent === 'yesterday') return sent
  return isObject(sent) && Object.hasOwn(sent, 'run')
    ? object({ run: number })(sent)
    : instantField(sent, name)
}

/** `yesterday`, the number of a run, or a moment in the past. */
export function parseSince(word: string): Since {
  if (word === 'yesterday') return 'yesterday'
  if (/^\d{1,15}$/.test(word)) return { run: Number(word) }
  try {
    return parsePastInstant(word)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new InvalidValueError(
      `must be yesterday, the number of a run, a date like 2026-01-01, an instant or an age like 7d, not ${quote(word)}${didYouMean(word, ['yesterday'])}`,
    )
  }
}

/** The same, or `last`: since the last digest that a recipient accepted. */
export function parseSinceOrLast(word: string): Since | 'last' {
  if (word === 'last') return 'last'
  try {
    return parseSince(word)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new InvalidValueError(error.message.replace('must be ', 'must be last, '))
  }
}
