import { DuckDBInstance } from '@duckdb/node-api'

/** One for all: to make it takes longer than most answers. */
let instance: Promise<DuckDBInstance> | null = null

/** The answer of DuckDB, which reads files by itself, as texts and NULLs. */
export async function askDuckdb(statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const connection = await (await (instance ??= DuckDBInstance.create(':memory:'))).connect()
  try {
    const reader = await connection.runAndReadAll(statement)
    return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))))
  } finally {
    connection.closeSync()
  }
}
