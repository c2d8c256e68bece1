import { PRIVATE_CACHE_HEADERS } from '../http/http-response.ts'
import { MAX_PAGE_ITEMS } from '../http/limits.ts'
import { version } from '../../common/version.ts'
import { errors } from './errors.ts'
import { fixedHeader, type Document, type Header, type Named, type Parameter } from './openapi-types.ts'
import { paths } from './paths.ts'
import { schemas } from './schemas.ts'

const DESCRIPTION = `
The events of one account and the responses to them, answered from a mirror. Everything is only read; the API key decides whose data is returned.

Only \`id\` is always there. A field that is not known is left out, and none is null. Fields that this document does not name are given back as they came: ignore those that you do not know.

Integers may lie beyond 2^53, and amounts are texts so that they stay exact: read both with all their digits. Texts hold every character but U+0000.

A value that did not fit its field when it was mirrored (an amount of "abc", 30 February) is given back under its name as it came, so that nothing is lost. Such values are outside of this document, and so is the time of a slot within hours of either end of the calendar (years 1 and 9999). No item is nested deeper than 64, and none was longer than 1 MiB when it came; it may be somewhat longer here.

Errors are documents after RFC 9457; their \`code\` tells them apart. Nobody without a valid key learns what exists. Another method than GET and HEAD is answered with 405, another path with 404. Bodies are compressed with gzip for who accepts it. Other query parameters than the ones below, and \`Range\`, are ignored.
`.trim()

const securitySchemes = {
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The API key of the account, in every request.',
  },
} as const

const parameters: Named<Parameter> = {
  limit: {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'At most so many items. When more follow, the header `Link` names the next page',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_ITEMS },
    example: 100,
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of an earlier answer: as long as the list is the same, the answer is 304 without a body',
    schema: { type: 'string' },
    example: '"5f1c0b"',
  },
}

const headers: Named<Header> = {
  ETag: {
    description: 'Names this state of the list; absent while the list is not known to be current',
    required: false,
    schema: { type: 'string', pattern: '^"[!#-~]+"$' },
  },
  Age: {
    description: 'Seconds since the list was last known to be current',
    required: false,
    schema: { type: 'integer', minimum: 0 },
  },
  Link: {
    description: 'The next page, when `limit` was given and more follow: `<address>; rel="next"`',
    required: false,
    schema: { type: 'string', pattern: '^<[^<>]+>; rel="next"$' },
  },
  'Cache-Control': fixedHeader(
    'The data are personal: no shared cache may keep them, and a private cache revalidates each time',
    PRIVATE_CACHE_HEADERS['Cache-Control'],
  ),
  Vary: fixedHeader('What else of the request decides about the answer', PRIVATE_CACHE_HEADERS.Vary),
}

/** What the service answers below a mount path ('': the root), as OpenAPI 3.1; to be written with `JSON.stringify`, which keeps all digits of its bounds. */
export function openApi(mountPath = ''): Document {
  return {
    openapi: '3.1.1',
    info: { title: 'Events and responses', version: version(), description: DESCRIPTION },
    servers: [{ url: `${mountPath}/api/v1`, description: 'This service' }],
    security: [{ apiKey: [] }],
    paths,
    components: { securitySchemes, parameters, headers, responses: errors, schemas },
  }
}
