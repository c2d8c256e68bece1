import { replaceInvalidChars } from '../../common/text/postgres-text.ts'

/** At most so many values of one kind are counted separately, and none is longer: a service may put anything in a key. */
export const MAX_VALUES = 100
const MAX_VALUE_LENGTH = 64

/** Stands for a value that is long, or looks like personal data. */
export const WITHHELD = '(not kept)'
/** Stands for all values beyond the first hundred. */
export const OTHER_VALUES = '(others)'

/** An e-mail address has it; so may what is cut out of one. */
const mayBeAddress = /[@＠]/
/** Seven digits, however they are set apart: a telephone number, a date of birth, a card. */
const mayBeNumber = /(?:\p{Nd}[\s().+/-]*){7}/u

/**
 * A text as an observation may keep it: a word of the service's own language. What is long, or looks like
 * an e-mail address or a telephone number is not kept.
 */
export function safeValue(text: string): string {
  if (text.length > MAX_VALUE_LENGTH) return WITHHELD
  // guard: personal values
  return mayBeAddress.test(text) || mayBeNumber.test(text) ? WITHHELD : replaceInvalidChars(text)
}
