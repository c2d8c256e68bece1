/**
 * Makes values from JSON schemas: from those of our own document, and of their keywords only what it uses. Numbers
 * beyond a double are raw JSON numbers, so the values are to be written by `JSON.stringify`.
 */
import fc from 'fast-check'
import { isRawNumber, type JsonValue } from '../../../src/common/json/exact.ts'
import type { Named, Schema } from '../../../src/server/openapi/openapi-types.ts'
import { trickyTexts } from './tricky-texts.ts'

type Values = fc.Arbitrary<JsonValue>
type Tie = (name: string) => fc.Arbitrary<unknown>

/** Deep enough for an object in an array in a field. */
const DEPTH = 4

/** An arbitrary for each of the schemas, by its name; they may refer to each other. */
export function fromSchemas(schemas: Named<Schema>): (name: string) => Values {
  const made = fc.letrec((tie) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, valuesOf(schema, tie)])),
  )
  return (name) => {
    const values = made[name]
    if (values === undefined) throw new Error(`There is no schema ${name}.`)
    return values
  }
}

function valuesOf(schema: Schema | undefined, tie: Tie): Values {
  if (schema === undefined) return plain
  if (schema.$ref !== undefined) return tie(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)) as Values
  if (schema.type === 'string') return textsOf(schema)
  if (schema.type === 'integer') return integersOf(schema)
  if (schema.type === 'array') return arraysOf(schema, tie)
  if (schema.type === 'object') return objectsOf(schema, tie)
  const any = schema.else ?? schema
  return fc.oneof({ maxDepth: DEPTH }, plain, textsOf(any), arraysOf(any, tie), objectsOf(any, tie))
}

const plain: Values = fc.oneof(
  fc.constantFrom(null, true, false),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.bigInt().map((value) => JSON.rawJSON(String(value))),
)

function objectsOf({ properties = {}, required = [], ...schema }: Schema, tie: Tie): Values {
  const known = Object.entries(properties).map(([name, property]) => {
    const value = valuesOf(property, tie).map((value) => [[name, value] as const])
    return required.includes(name) ? value : fc.oneof(value, fc.constant([]))
  })
  const name = textsOf(schema.propertyNames ?? {})
    // After a backslash in a key, V8 takes keys with an escape in other objects for it (nodejs/node#63785).
    .filter((text) => !text.includes('\\') && !Object.hasOwn(properties, text))
  const other = fc.tuple(name, valuesOf(schema.additionalProperties, tie))
  const others = fc.uniqueArray(other, { selector: ([key]) => key, maxLength: 2 })
  return fc
    .tuple(fc.tuple(...known), others)
    .map(([fields, added]) => Object.fromEntries([...fields.flat(), ...added]))
}

function arraysOf({ items }: Schema, tie: Tie): Values {
  return fc.array(valuesOf(items, tie), { maxLength: 3 })
}

function integersOf({ minimum = -(2 ** 31), maximum = 2 ** 31 }: Schema): Values {
  const [min, max] = [minimum, maximum].map((bound) => BigInt(isRawNumber(bound) ? bound.rawJSON : bound))
  if (min === undefined || max === undefined) throw new Error('A bound is missing.')
  return fc.bigInt({ min, max }).map((value) => JSON.rawJSON(String(value)))
}

function textsOf({ pattern, minLength = 0, maxLength, not }: Schema): fc.Arbitrary<string> {
  const form = new RegExp(pattern ?? '', 'u')
  const excluded = not?.pattern === undefined ? null : new RegExp(not.pattern, 'u')
  const isAllowed = (text: string): boolean => {
    const length = Array.from(text).length
    if (length < minLength || length > (maxLength ?? Infinity)) return false
    // Half a surrogate pair is no text.
    return (
      text.isWellFormed() &&
      form.test(text) &&
      excluded?.test(text) !== true &&
      not?.enum?.includes(text) !== true
    )
  }
  const long = ['x', '😀'].map((character) => character.repeat(maxLength ?? 300))
  // A schema that grows too wide does not need chance to be found out.
  const tricky = [...trickyTexts, ...long].filter(isAllowed)
  // A class of everything but some characters has too many to draw from its pattern.
  const drawn =
    pattern === undefined || pattern.includes('[^')
      ? fc.string({ unit: 'binary', minLength, maxLength: 12 })
      : fc.stringMatching(new RegExp(pattern))
  return fc.oneof(drawn.filter(isAllowed), fc.constantFrom(...tricky))
}
