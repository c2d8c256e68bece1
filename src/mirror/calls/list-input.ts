import type { JsonValue } from '../../common/json/exact.ts'
import { inputFields } from './input.ts'

/** Of a list: of one account or, with null, of all; at most so many rows. */
export interface ListInput {
  readonly account: string | null
  readonly limit: number
}

export function readListInput(json: JsonValue): ListInput {
  const fields = inputFields(json)
  return { account: fields.textOrNull('account'), limit: fields.number('limit') }
}
