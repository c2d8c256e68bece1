/** What another process sent as the input of a call, read field by field. */
import { UsageError } from '../../common/errors.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'

export interface InputFields {
  text(name: string): string
  textOrNull(name: string): string | null
  texts(name: string): readonly string[]
  number(name: string): number
  numberOrNull(name: string): number | null
  boolean(name: string): boolean
  /** The fields of an object in it; null where it has none. */
  fieldsOrNull(name: string): InputFields | null
  /** The fields of each object of an array. */
  objects(name: string): readonly InputFields[]
  has(name: string): boolean
  any(name: string): JsonValue
}

/** @throws UsageError naming the field, as all of its functions do */
export function inputFields(json: JsonValue | undefined): InputFields {
  if (!isObject(json)) throw new UsageError('The input of a call must be a JSON object.')
  const value = (name: string): JsonValue | undefined => (Object.hasOwn(json, name) ? json[name] : undefined)
  const wrong = (name: string, form: string) =>
    new UsageError(`The input "${name}" of a call must be ${form}.`)
  const fields: InputFields = {
    text: (name) => {
      const found = value(name)
      if (typeof found !== 'string') throw wrong(name, 'a text')
      return found
    },
    textOrNull: (name) => (value(name) === null ? null : fields.text(name)),
    texts: (name) => {
      const found = value(name)
      if (!Array.isArray(found)) throw wrong(name, 'an array of texts')
      return found.map((text) => {
        if (typeof text !== 'string') throw wrong(name, 'an array of texts')
        return text
      })
    },
    number: (name) => {
      const found = value(name)
      if (typeof found !== 'number') throw wrong(name, 'a number')
      return found
    },
    numberOrNull: (name) => (value(name) === null ? null : fields.number(name)),
    boolean: (name) => {
      const found = value(name)
      if (typeof found !== 'boolean') throw wrong(name, 'true or false')
      return found
    },
    fieldsOrNull: (name) => (value(name) === null ? null : inputFields(value(name))),
    objects: (name) => {
      const found = value(name)
      if (!Array.isArray(found)) throw wrong(name, 'an array of objects')
      return found.map((one) => inputFields(one))
    },
    has: (name) => value(name) !== undefined,
    any: (name) => value(name) ?? null,
  }
  return fields
}

/** Of a list: of one account or, with null, of all; at most so many rows. */
export interface ListInput {
  readonly account: string | null
  readonly limit: number
}

export function readListInput(json: JsonValue): ListInput {
  const fields = inputFields(json)
  return { account: fields.textOrNull('account'), limit: fields.number('limit') }
}
