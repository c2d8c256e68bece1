import { Pool } from 'pg'
import type { PoolConfig } from 'pg'

/**
 * A pool as a program has that uses the library with its own. Its end resolves before its connections are closed, and a
 * server or a database that goes next ends them with an error: without a listener the process would die of it.
 */
export function openPool(connectionString: string, config: PoolConfig = {}): Pool {
  const pool = new Pool({ connectionString, max: 3, ...config })
  pool.on('error', () => {})
  return pool
}
