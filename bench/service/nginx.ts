import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { request } from 'undici'
import { freePort } from '../../test/support/http/free-port.ts'
import type { WebServer } from './service.ts'

/** Debian keeps it where a user's search path may not lead. */
const SEARCH_PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`
const LONGEST_START_MS = 5000

/** nginx over a folder of sites, in one process, until it is disposed of; null when it is not installed. */
export async function startNginx(sites: string, folder: string): Promise<WebServer | null> {
  const port = await freePort()
  await mkdir(folder)
  await writeFile(join(folder, 'nginx.conf'), configuration(sites, folder, port))
  const args = ['-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const child = spawn('nginx', args, { env: { PATH: SEARCH_PATH }, stdio: ['ignore', 'ignore', 'pipe'] })
  let told = ''
  child.stderr.on('data', (piece: Buffer) => (told += piece.toString()))
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  )
  if (!isThere) return null
  const stop = (): void => void child.kill('SIGTERM')
  process.once('exit', stop)
  const ended = once(child, 'exit')
  const origin = `http://127.0.0.1:${port}`
  const refused = ended.then(() => Promise.reject(new Error(`nginx ended:\n${told}`)))
  refused.catch(() => {})
  await Promise.race([untilItAnswers(origin), refused])
  let questions = 0
  return {
    origin,
    requests: async () => {
      const status = await (await request(`${origin}/requests`)).body.text()
      const [, asked] = /^ \d+ \d+ (\d+)/m.exec(status) ?? []
      questions += 1
      return Number(asked) - questions
    },
    [Symbol.asyncDispose]: async () => {
      process.removeListener('exit', stop)
      stop()
      await ended
    },
  }
}

async function untilItAnswers(origin: string): Promise<void> {
  for (let waited = 0; waited < LONGEST_START_MS; waited += 20) {
    const answer = await request(origin).catch(() => null)
    await answer?.body.dump()
    if (answer) return
    await setTimeout(20)
  }
  throw new Error('nginx does not answer.')
}

/** One process in the foreground; no file outside of the folder; validators only where the path asks for them. */
function configuration(sites: string, folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const location = (way: string, etag: string) => `
    location /${way}/ {
      ${etag}
      location ~ ^/${way}/(\\w+)/api/v1/events/([\\w-]+)/responses$ {
        try_files /$1/shown/$2.json /$1/original/$2.json =404;
      }
      location ~ ^/${way}/(\\w+)/api/v1/(ping|events)$ {
        try_files /$1/$2.json =404;
      }
    }`
  return `daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
events { worker_connections 256; }
http {
  access_log off;
${temporary}
  types { }
  default_type application/json;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 100000000;
  server {
    listen 127.0.0.1:${port};
    root ${sites};
    location = /requests { stub_status; }
${location('plain', 'etag off; if_modified_since off;')}
${location('etag', 'etag on;')}
  }
}
`
}
