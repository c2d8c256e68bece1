/** The endpoints of the service. */
import { errorsNamed, EVERYWHERE, headersOfErrors, withoutBody, type ErrorName } from './errors.ts'
import { events, ping, responses } from './examples.ts'
import type { Answer, Named, Operation, Parameter, Path, Reference, Schema } from './openapi-types.ts'
import { TEXT } from './patterns.ts'
import { listOf, responseId, schemaOf } from './schemas.ts'

const JSON_TYPE = 'application/json'

const parameter = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` })

function headers(...names: readonly string[]): Named<Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

const OF_LIST = ['ETag', 'Age', 'Cache-Control', 'Vary']

function list(description: string, schema: Schema, example: unknown, links?: Answer['links']): Answer {
  return {
    description,
    headers: headers(...OF_LIST, 'Link'),
    content: { [JSON_TYPE]: { schema, example } },
    ...(links !== undefined && { links }),
  }
}

const notModified: Answer = {
  description: 'The list is still the one that `If-None-Match` names.',
  headers: headers(...OF_LIST),
}

const after = (description: string, schema: Schema, example: string | number): Parameter => ({
  name: 'after',
  in: 'query',
  required: false,
  description,
  schema,
  example,
})

export const paths: Named<Path> = {
  '/ping': pathOf({
    operationId: 'ping',
    summary: 'Check that the service is up',
    description: 'Tells the e-mail address of the owner of the key, too.',
    parameters: [],
    answers: {
      200: {
        description: 'The key opens an account.',
        headers: headers('Cache-Control', 'Vary'),
        content: { [JSON_TYPE]: { schema: schemaOf('Ping'), example: ping } },
      },
    },
    errors: EVERYWHERE,
  }),

  '/events': pathOf({
    operationId: 'listEvents',
    summary: 'List the events of the account',
    description:
      'All of them, unless `limit` is given; in the order of their ids, by the bytes of their UTF-8. Each id is there once.',
    parameters: [
      parameter('limit'),
      after(
        'Only events whose id comes after this text, which need not be one',
        { type: 'string', pattern: TEXT },
        'summer',
      ),
      parameter('If-None-Match'),
    ],
    answers: {
      200: list('The events.', listOf('Event'), events, {
        responses: {
          operationId: 'listResponses',
          parameters: { event_id: '$response.body#/0/id' },
          description: 'The `id` of an event is the `event_id` of its responses.',
        },
      }),
      304: notModified,
    },
    errors: EVERYWHERE,
  }),

  '/events/{event_id}/responses': pathOf({
    operationId: 'listResponses',
    summary: 'List the responses to an event',
    description:
      'All of them, unless `limit` is given; in the order of their ids, as integers. Each id is there once.',
    parameters: [
      {
        name: 'event_id',
        in: 'path',
        required: true,
        description: 'The `id` of the event, percent-encoded as one segment: `a/b` is `a%2Fb`',
        schema: { type: 'string', minLength: 1 },
        example: 'summer-fair',
      },
      parameter('limit'),
      after('Only responses whose id is greater than this integer, which need not be one', responseId, 4101),
      parameter('If-None-Match'),
    ],
    answers: {
      200: list('The responses.', listOf('Response'), responses),
      304: notModified,
    },
    errors: ['UnknownEvent', ...EVERYWHERE],
  }),
}

interface Endpoint extends Omit<Operation, 'responses'> {
  readonly answers: Named<Answer>
  readonly errors: readonly ErrorName[]
}

function pathOf({ answers, errors, ...operation }: Endpoint): Path {
  const bare = Object.entries(answers).map(([status, answer]) => [status, withoutBody(answer)])
  return {
    get: { ...operation, responses: { ...answers, ...errorsNamed(errors) } },
    head: {
      ...operation,
      operationId: `${operation.operationId}Head`,
      summary: `${operation.summary}: the headers alone`,
      description: 'The same as GET without the body.',
      responses: { ...Object.fromEntries(bare), ...headersOfErrors(errors) },
    },
  }
}
