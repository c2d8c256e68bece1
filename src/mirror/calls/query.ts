import { runReadOnlyQuery } from '../query/read-only-query.ts'
import { requireSynced } from '../query/require-synced.ts'
import { parseStatement } from '../query/statement.ts'
import { defineCall } from './call.ts'
import { inputFields } from './input.ts'

export interface QueryInput {
  readonly sql: string
  readonly timeoutMs: number
  /** What views show, and functions tell of; null: every account. */
  readonly account: string | null
  /** Rows at most; null: all. */
  readonly limit: number | null
  /** The session's time zone; null: UTC. */
  readonly timeZone: string | null
}

export interface QueryOutput {
  /** What is to be said of the accounts. */
  readonly notes: readonly string[]
  /** Whether `limit` left rows out. */
  readonly hasMore: boolean
}

/** Answers a user's statement, read-only, part by part. */
export const queryCall = defineCall<QueryInput, QueryOutput>({
  name: 'query',
  changes: false,
  readInput: (json) => {
    const fields = inputFields(json)
    return {
      sql: fields.text('sql'),
      timeoutMs: fields.number('timeoutMs'),
      account: fields.textOrNull('account'),
      limit: fields.numberOrNull('limit'),
      timeZone: fields.textOrNull('timeZone'),
    }
  },
  run: async (database, { sql, ...options }, { receive, maxStatementMs }) => {
    const notes = (await requireSynced(database, options.account)) ?? []
    // guard: query through the socket
    const end = await runReadOnlyQuery(database, parseStatement(sql), { ...options, maxStatementMs }, receive)
    return { notes, ...end }
  },
})
