/** HTTP by hand, for what no client would send: bytes go out as they are, and every answer that comes back is told apart. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** By name in lower case; the last of a name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends bytes on one connection and gives the answers that come until the service closes it.
 *
 * @param isHead of the answer at that place, which has no body whatever its headers say
 */
export async function exchange(
  port: number,
  sent: string | Buffer,
  isHead: (place: number) => boolean = () => false,
): Promise<readonly RawAnswer[]> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(sent)
  const pieces: Buffer[] = []
  socket.on('data', (piece) => pieces.push(piece))
  socket.on('end', () => socket.end())
  await once(socket, 'close')
  return answersIn(Buffer.concat(pieces).toString('latin1'), isHead)
}

/** A request as text; a header that is given twice is sent twice. */
export function requestText(
  path: string,
  headers: readonly (readonly [string, string])[] = [],
  method = 'GET',
): string {
  const lines = [['Host', 'a'], ...headers].map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

export const closing = ['Connection', 'close'] as const

/** A connection that stays open, with what was sent on it. */
export async function openSocket(port: number, sent = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  if (sent !== '') socket.write(sent)
  return socket
}

function answersIn(text: string, isHead: (place: number) => boolean): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end === -1 ? undefined : end).split('\r\n')
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? []
    if (end === -1 || status === undefined) throw new Error(`This is no answer: ${rest.slice(0, 200)}`)
    const headers = Object.fromEntries(
      lines.map((line): [string, string] => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const behind = rest.slice(end + 4)
    const hasBody = !isHead(answers.length) && status !== '304'
    const { body, left } = hasBody ? bodyIn(behind, headers) : { body: '', left: behind }
    answers.push({ status: Number(status), headers, body: Buffer.from(body, 'latin1').toString() })
    rest = left
  }
  return answers
}

function bodyIn(text: string, headers: RawAnswer['headers']): { body: string; left: string } {
  const length = headers['content-length']
  if (length !== undefined) return { body: text.slice(0, Number(length)), left: text.slice(Number(length)) }
  if (headers['transfer-encoding'] !== 'chunked') return { body: text, left: '' }
  const chunks: string[] = []
  let rest = text
  while (true) {
    const line = rest.indexOf('\r\n')
    const size = parseInt(rest.slice(0, line), 16)
    if (line === -1 || Number.isNaN(size)) throw new Error('The answer was cut off.')
    const chunk = rest.slice(line + 2, line + 2 + size)
    rest = rest.slice(line + 2 + size + 2)
    if (size === 0) return { body: chunks.join(''), left: rest }
    chunks.push(chunk)
  }
}
