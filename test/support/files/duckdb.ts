import { DuckDBInstance } from '@duckdb/node-api'

/** The answer of DuckDB, which reads files by itself, as texts and NULLs. */
export async function askDuckdb(statement: string): Promise<readonly (readonly (string | null)[])[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    const reader = await connection.runAndReadAll(statement)
    return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
