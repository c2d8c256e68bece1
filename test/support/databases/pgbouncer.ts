/** PgBouncer in transaction mode before a database, where it is installed: for a look at the real thing by hand. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedPort } from '../http/fault-server.ts'
import type { PoolingProxy } from './pooling-proxy.ts'

export async function startPgBouncer(url: string): Promise<PoolingProxy> {
  const { hostname, port, username, password, pathname } = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'headcount-test-pgbouncer-'))
  await chmod(folder, 0o755)
  const own = await closedPort()
  const settings = `[databases]
${pathname.slice(1)} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_round_robin = 1
`
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, settings)
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text))
  while (!log.includes('process up')) await once(child.stderr, 'data')
  const through = new URL(url)
  through.port = String(own)
  return {
    url: through.href,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}
