import { UsageError } from '../errors.ts'
import { InvalidValueError } from '../parse-values.ts'

/** Reads the text of an option of a program. @throws UsageError naming the option, for an InvalidValueError */
export function parseOption<Value>(name: string, parse: () => Value): Value {
  try {
    return parse()
  } catch (error) {
    throw error instanceof InvalidValueError
      ? new UsageError(`The option \`${name}\` ${error.message}.`, { cause: error })
      : error
  }
}
