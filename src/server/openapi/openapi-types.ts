/** The part of OpenAPI 3.1, and of the JSON Schema in it, that the document of the service is written in. */
import type { RawNumber } from '../../common/json/exact.ts'

export interface Document {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, Path>>
  readonly components: Components
}

export interface Components {
  readonly securitySchemes: Named<SecurityScheme>
  readonly parameters: Named<Parameter>
  readonly headers: Named<Header>
  readonly responses: Named<Answer>
  readonly schemas: Named<Schema>
}

export type Named<Value> = Readonly<Record<string, Value>>

export interface SecurityScheme {
  readonly type: 'apiKey'
  readonly in: 'header'
  readonly name: string
  readonly description: string
}

export interface Path {
  readonly get: Operation
  readonly head: Operation
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly (Parameter | Reference)[]
  /** By status. */
  readonly responses: Named<Answer | Reference>
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: string | number
}

export interface Answer {
  readonly description: string
  readonly headers?: Named<Header | Reference>
  readonly content?: Named<{ readonly schema: Schema; readonly example: unknown }>
  readonly links?: Named<{
    readonly operationId: string
    readonly parameters: Named<string>
    readonly description: string
  }>
}

export interface Header {
  readonly description: string
  readonly required: boolean
  readonly schema: Schema
}

/** A header that always has this value. */
export function fixedHeader(description: string, value: string): Header {
  return { description, required: true, schema: { type: 'string', const: value } }
}

/** Something that stands among the components. */
export interface Reference {
  readonly $ref: string
}

export interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: 'object' | 'array' | 'string' | 'integer'
  /** With `else`: what holds of values of every type, which generators of code do not take for one type. */
  readonly if?: false
  readonly else?: Schema
  readonly const?: string | number
  readonly enum?: readonly (string | number)[]
  readonly format?: 'date-time' | 'int64'
  readonly pattern?: string
  readonly minLength?: number
  /** Lengths count code points. */
  readonly maxLength?: number
  /** A bound that a double does not hold is written digit for digit. */
  readonly minimum?: number | RawNumber
  readonly maximum?: number | RawNumber
  readonly not?: Schema
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Named<Schema>
  readonly additionalProperties?: Schema
  readonly propertyNames?: Schema
  readonly examples?: readonly (string | number)[]
}
