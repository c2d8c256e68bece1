/** Holds answers of the service against its document. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { openApi } from '../../../src/server/openapi/document.ts'
import type { Answer, Header, Operation, Reference } from '../../../src/server/openapi/openapi-types.ts'

/** As it is served: bounds beyond a double are doubles again. */
const served = JSON.parse(JSON.stringify(openApi()))
const document = openApi()
// What must hold stands in patterns and bounds; formats are there for readers.
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(served, 'service')

/** What is wrong with a value by the schema that stands at this place of the document. */
export function validatorOf(place: string): (value: unknown) => readonly string[] {
  const validate = ajv.getSchema(`service#${place}`)
  if (validate === undefined) throw new Error(`The document has no schema at ${place}.`)
  return (value) =>
    validate(value) === true
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
}

/** Every answer of the document that shows an example, with the place of its schema. */
export function exampleBodies(): { where: string; schema: string; example: unknown }[] {
  const places = [
    ...Object.entries(document.components.responses).map(([name, answer]) => ({
      where: name,
      place: `/components/responses/${name}`,
      answer,
    })),
    ...Object.entries(document.paths).flatMap(([path, { get }]) =>
      Object.entries(get.responses).map(([status, answer]) => ({
        where: `${path} ${status}`,
        place: `/paths/${pointer(path)}/get/responses/${status}`,
        answer,
      })),
    ),
  ]
  return places.flatMap(({ where, place, answer }) =>
    '$ref' in answer
      ? []
      : Object.entries(answer.content ?? {}).map(([type, { example }]) => ({
          where,
          schema: `${place}/content/${pointer(type)}/schema`,
          example,
        })),
  )
}

/** An answer that came, and what was asked for it. */
export interface Answered {
  readonly method: string
  /** Of the whole address: `/api/v1/events?limit=2`. */
  readonly path: string
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** As it came, when it was compressed: uncompressed. */
  readonly text: string
}

/** Fails unless the document tells of this answer: its status, its headers, the type and the form of its body. */
export function expectConforms({ method, path, status, headers, text }: Answered): void {
  const { answer, place } = documented(method, path.split('?')[0] ?? '', status)
  const asked = `${method} ${path}: ${status}`
  for (const [name, given] of Object.entries(answer.headers ?? {})) {
    const { header, schema } = headerOf(name, given, `${place}/headers/${pointer(name)}`)
    const value = headers[name.toLowerCase()]
    if (value === undefined) expect(header.required, `${asked} has no ${name}`).toBe(false)
    else {
      const read = header.schema.type === 'integer' ? Number(value) : value
      expect(validatorOf(schema)(read), `${asked}, ${name}: ${String(value)}`).toEqual([])
    }
  }
  const [type] = Object.keys(answer.content ?? {})
  if (type === undefined || method === 'HEAD') {
    expect(text, `${asked} has a body`).toBe('')
    return
  }
  expect(String(headers['content-type']).split(';')[0], asked).toBe(type)
  const validate = validatorOf(`${place}/content/${pointer(type)}/schema`)
  expect(validate(JSON.parse(text)), asked).toEqual([])
}

/** What is wrong with the body of a 200 at that path. */
export function complaintsOf(path: string, body: unknown): readonly string[] {
  const { place } = documented('GET', path, 200)
  return validatorOf(`${place}/content/${pointer('application/json')}/schema`)(body)
}

/** Where the document tells of such an answer. */
function documented(method: string, path: string, status: number): { answer: Answer; place: string } {
  const [template, operations] =
    Object.entries(document.paths).find(([template]) => matches(path, template)) ?? []
  const verb = method.toLowerCase()
  if (template === undefined || operations === undefined)
    return everywhere(status) ?? component('UnknownPath')
  if (verb !== 'get' && verb !== 'head') return everywhere(status) ?? component('MethodNotAllowed')
  const operation: Operation = operations[verb]
  const given = operation.responses[status]
  if (given === undefined) throw new Error(`The document does not tell of ${method} ${path}: ${status}.`)
  if ('$ref' in given) return component(nameOf(given))
  return { answer: given, place: `/paths/${pointer(template)}/${verb}/responses/${status}` }
}

/** A problem that stands among the components, by its name. */
function component(name: string): { answer: Answer; place: string } {
  const answer = document.components.responses[name]
  if (answer === undefined) throw new Error(`The document has no answer ${name}.`)
  return { answer, place: `/components/responses/${name}` }
}

/** An answer that comes whatever is asked for, such as 401. */
function everywhere(status: number): { answer: Answer; place: string } | undefined {
  const given = document.paths['/ping']?.get.responses[status]
  return given !== undefined && '$ref' in given ? component(nameOf(given)) : undefined
}

function nameOf({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function matches(path: string, template: string): boolean {
  const form = template.replace(/\{[^}]*\}/g, '[^/]+')
  return new RegExp(`^${document.servers[0]?.url}${form}$`).test(path)
}

function headerOf(
  name: string,
  given: Header | Reference,
  place: string,
): { header: Header; schema: string } {
  if (!('$ref' in given)) return { header: given, schema: `${place}/schema` }
  const header = document.components.headers[name]
  if (header === undefined) throw new Error(`The document has no header ${name}.`)
  return { header, schema: `/components/headers/${pointer(name)}/schema` }
}

function pointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
