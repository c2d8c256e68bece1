import { runReadOnlyQuery, type QueryEnd } from '../query/read-only-query.ts'
import { requireSynced } from '../query/require-synced.ts'
import { parseStatement } from '../query/statement.ts'
import { defineCall } from './call.ts'
import { accountFields, number, object, orNull, text } from './input.ts'

export interface QueryOutput extends QueryEnd {
  /** What is to be said of the accounts. */
  readonly notes: readonly string[]
}

const readInput = object({
  ...accountFields,
  sql: text,
  timeoutMs: number,
  limit: orNull(number),
  timeZone: orNull(text),
})

/** Answers a user's statement, read-only, part by part. */
export const queryCall = defineCall({
  name: 'query',
  changes: false,
  readInput,
  run: async (database, { sql, ...options }, { receive, maxStatementMs }): Promise<QueryOutput> => {
    const notes = (await requireSynced(database, options.account)) ?? []
    // guard: query through the socket
    const end = await runReadOnlyQuery(database, parseStatement(sql), { ...options, maxStatementMs }, receive)
    return { notes, ...end }
  },
})
