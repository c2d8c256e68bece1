import { Validator } from '@seriousme/openapi-schema-validator'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePing } from '../../../src/common/json/parse-ping.ts'
import { openApi } from '../../../src/server/openapi/document.ts'
import { problems } from '../../../src/server/problems.ts'
import { exampleBodies, validatorOf } from '../../support/http/conforming.ts'
import { fromSchemas } from '../../support/accounts/from-schema.ts'
import { eventsIn, responsesIn } from '../../support/accounts/normalising.ts'
import { examples } from '../../support/seed.ts'

const text = JSON.stringify(openApi())
const values = fromSchemas(openApi().components.schemas)

test('the document is OpenAPI 3.1', async () => {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(text))
  expect(errors).toBeUndefined()
  expect(valid).toBe(true)
  expect(validator.version).toBe('3.1')
})

test('its patterns are of what the engines of all languages read', () => {
  const patterns = [...text.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, json = '']) =>
    String(JSON.parse(json)),
  )
  expect(patterns.length).toBeGreaterThan(10)
  // Classes that differ or are unknown (\d, \p), code units, look-around, names and references of groups, possessive quantifiers.
  for (const pattern of patterns) expect(pattern).not.toMatch(/\\(?!x00)|\(\?[^:]|[*+?}]\+/)
})

test('programs that make code of the document take any JSON for the value of an unknown field', () => {
  const { description, ...anything } = openApi().components.schemas['Anything'] ?? {}
  // Some take a schema with items for a list, others one with properties for an object, and some know no list of types.
  expect(Object.keys(anything)).toEqual(['if', 'else'])
  expect(description).toContain('any JSON')
  const validate = validatorOf('/components/schemas/Event')
  for (const capacity of [240, null, true, 'x', [1, 'a'], { a: [1] }])
    expect(validate({ id: 'gala', capacity })).toEqual([])
  for (const capacity of ['\0', ['\0'], { a: '\0' }, { '\0': 1 }])
    expect(validate({ id: 'gala', capacity })).not.toEqual([])
})

test('the bounds of integers are there digit for digit', () => {
  expect(text).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807')
})

test('every error that the service answers is there', () => {
  const { responses } = openApi().components
  const bodies = Object.values(responses).flatMap(({ content = {} }) => Object.values(content))
  const codes = bodies.flatMap(({ schema }) => schema.allOf?.[1]?.properties?.['code']?.enum ?? [])
  expect(new Set(codes)).toEqual(new Set(Object.keys(problems)))
})

test.each(exampleBodies())('the example of $where is what its schema says', ({ schema, example }) => {
  expect(validatorOf(schema)(example)).toEqual([])
})

describe('every document that the schemas allow is read without a reject, and nothing of it is set aside', () => {
  test.each([
    ['Event', eventsIn],
    ['Response', responsesIn],
  ] as const)('a list of %s', (name, normalise) => {
    const validate = validatorOf(`/components/schemas/${name}`)
    fc.assert(
      fc.property(fc.array(values(name), { maxLength: 3 }), (items) => {
        const body = JSON.stringify(items)
        // What is drawn is allowed, or the test would prove nothing.
        for (const item of JSON.parse(body)) expect(validate(item)).toEqual([])
        const { rows, rejects, setAside, length } = normalise(body)
        expect({ rejects, setAside, length }).toEqual({ rejects: [], setAside: 0, length: items.length })
        expect(rows.length).toBe(new Set(JSON.parse(body).map(({ id }: { id: unknown }) => id)).size)
      }),
      { numRuns: examples(300) },
    )
  })

  test('an answer to ping', () => {
    fc.assert(
      fc.property(values('Ping'), (value) => {
        const body = JSON.stringify(value)
        expect(validatorOf('/components/schemas/Ping')(JSON.parse(body))).toEqual([])
        expect(parsePing(body).email).toEqual(JSON.parse(body).email ?? null)
      }),
      { numRuns: examples(100) },
    )
  })
})
