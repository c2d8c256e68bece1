/** What another process sent as the input of a call: what each of its fields must be. */
import { UsageError } from '../../common/errors.ts'
import { isObject, type JsonValue } from '../../common/json/exact.ts'

/** Reads a field. @throws UsageError naming it */
export type Field<Value> = (sent: JsonValue | undefined, name: string) => Value

export const text: Field<string> = (sent, name) => {
  if (typeof sent !== 'string') throw wrongField(name, 'a text')
  return sent
}

export const number: Field<number> = (sent, name) => {
  if (typeof sent !== 'number') throw wrongField(name, 'a number')
  return sent
}

export const boolean: Field<boolean> = (sent, name) => {
  if (typeof sent !== 'boolean') throw wrongField(name, 'true or false')
  return sent
}

export function orNull<Value>(field: Field<Value>): Field<Value | null> {
  return (sent, name) => (sent === null ? null : field(sent, name))
}

export function wordOf<Word extends string>(words: readonly Word[]): Field<Word> {
  return (sent, name) => {
    const known = words.find((word) => word === sent)
    if (known === undefined) throw wrongField(name, `one of ${words.join(', ')}`)
    return known
  }
}

/** @param form what it is, for messages */
export function arrayOf<Value>(form: string, field: Field<Value>): Field<readonly Value[]> {
  return (sent, name) => {
    if (!Array.isArray(sent)) throw wrongField(name, `an array of ${form}`)
    return sent.map((one, at) => field(one, `${name}[${at}]`))
  }
}

/** What fields give, by their names. */
export type ValueOf<Fields extends Readonly<Record<string, Field<unknown>>>> = {
  readonly [Name in keyof Fields]: ReturnType<Fields[Name]>
}

/** Reads the whole input of a call. @throws UsageError when it is no such input */
export type ReadInput<Input> = (sent: JsonValue | undefined) => Input

/** Fields that are not named are left out. */
export function object<Fields extends Readonly<Record<string, Field<unknown>>>>(
  fields: Fields,
): ReadInput<ValueOf<Fields>> {
  return (sent) => {
    if (!isObject(sent)) throw new UsageError('The input of a call must be a JSON object.')
    const read = Object.entries(fields).map(([name, field]) => [
      name,
      field(Object.hasOwn(sent, name) ? sent[name] : undefined, name),
    ])
    // The fields say what each value is.
    return Object.fromEntries(read) as ValueOf<Fields>
  }
}

export function wrongField(name: string, form: string): UsageError {
  return new UsageError(`The input "${name}" of a call must be ${form}.`)
}

/** What the answers of most calls are about. Null: all accounts, or the one that is meant, as the call says. */
export const accountFields = { account: orNull(text) }

export type AccountInput = ValueOf<typeof accountFields>

/** Of a list: at most so many rows. */
export const listFields = { ...accountFields, limit: number }

export type ListInput = ValueOf<typeof listFields>
