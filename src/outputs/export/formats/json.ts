import { readRows } from '../read-rows.ts'
import type { LinkBodyFormat } from './format.ts'
import { ndjson } from './ndjson.ts'

/** One array of objects, each as a line of NDJSON. */
export const json: LinkBodyFormat = {
  contentType: 'application/json; charset=utf-8',
  select: ndjson.select,
  parts: async function* ({ ask, query }) {
    let before = '['
    for await (const rows of readRows(ask, `select row_to_json(line)::text from (${query}) line`)) {
      for (const [line] of rows) {
        yield `${before}${String(line)}`
        before = ',\n'
      }
    }
    yield before === '[' ? '[]\n' : ']\n'
  },
}
