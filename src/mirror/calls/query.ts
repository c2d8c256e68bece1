import { runReadOnlyQuery } from '../query/read-only-query.ts'
import { requireSynced } from '../require-synced.ts'
import { parseStatement } from '../query/statement.ts'
import { defineCall } from './call.ts'
import { inputFields } from './input.ts'

export interface QueryInput {
  readonly sql: string
  readonly timeoutMs: number
  /** What views show, and functions tell of; null: every account. */
  readonly account: string | null
}

/** Answers a user's statement, read-only, part by part; then what is to be said of the accounts. */
export const queryCall = defineCall<QueryInput, readonly string[]>({
  name: 'query',
  changes: false,
  readInput: (json) => {
    const fields = inputFields(json)
    return {
      sql: fields.text('sql'),
      timeoutMs: fields.number('timeoutMs'),
      account: fields.textOrNull('account'),
    }
  },
  run: async (database, { sql, ...options }, { receive, maxStatementMs }) => {
    const notes = await requireSynced(database, options.account)
    // guard: query through the socket
    await runReadOnlyQuery(database, parseStatement(sql), { ...options, maxStatementMs }, receive)
    return notes
  },
})
