import { UsageError } from '../../common/errors.ts'
import { parseOption } from '../../common/options/parse-option.ts'
import type { InstantInput } from '../instants/parse-instant.ts'

/** @throws UsageError naming the option */
export function instantOption(
  name: string,
  value: Date | string,
  parse: (text: string) => InstantInput,
): InstantInput {
  if (typeof value === 'string') return parseOption(name, () => parse(value))
  if (Number.isNaN(value.getTime())) throw new UsageError(`The option \`${name}\` is an invalid Date.`)
  const year = value.getUTCFullYear()
  // Its text has a sign then, which Postgres does not read.
  if (year < 1 || year > 9999)
    throw new UsageError(`The option \`${name}\` must be a Date of the years 1 to 9999, not of ${year}.`)
  return { at: value.toISOString() }
}
