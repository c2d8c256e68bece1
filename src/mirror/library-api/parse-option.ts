import { UsageError } from '../../common/errors.ts'
import { InvalidValueError } from '../../common/parse-values.ts'
import type { InstantInput } from '../instants/parse-instant.ts'

/** @throws UsageError naming the option */
export function instantOption(
  name: string,
  value: Date | string,
  parse: (text: string) => InstantInput,
): InstantInput {
  if (typeof value === 'string') return parseOption(name, () => parse(value))
  if (Number.isNaN(value.getTime())) throw new UsageError(`The option \`${name}\` is an invalid Date.`)
  return { at: value.toISOString() }
}

export function parseOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw error instanceof InvalidValueError
      ? new UsageError(`The option \`${name}\` ${error.message}.`, { cause: error })
      : error
  }
}
