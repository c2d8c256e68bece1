import { runReadOnlyQuery } from '../../../src/mirror/query/read-only-query.ts'
import { parseStatement } from '../../../src/mirror/query/statement.ts'
import type { Database } from '../../../src/db/connect.ts'
import type { QueryResult } from '../../../src/db/transaction.ts'

/** The whole answer to a statement that is sent as `headcount query` sends it. */
export async function answerTo(
  database: Database,
  statement: string,
  timeoutMs = 10_000,
): Promise<QueryResult> {
  const parts: QueryResult[] = []
  await runReadOnlyQuery(
    database,
    parseStatement(statement),
    { timeoutMs },
    async (part) => void parts.push(part),
  )
  const [first] = parts
  if (first === undefined) throw new Error('an answer has one part at least')
  return { ...first, rows: parts.flatMap(({ rows }) => rows) }
}
