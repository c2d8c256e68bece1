import { name, InvalidValueError } from '../../common/parse-values.ts'

const MAX_CHARACTERS = 200

/** What a key is for, in the user's words. */
export function keyLabel(text: string): string {
  const label = name(text)
  if (Array.from(label).length <= MAX_CHARACTERS) return label
  throw new InvalidValueError(`must be at most ${MAX_CHARACTERS} characters long`)
}
