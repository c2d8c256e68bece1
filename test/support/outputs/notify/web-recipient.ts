/** A web address on loopback that takes documents, and answers as a test says. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '../../http/loopback.ts'

export interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- a document that the test looks into
  readonly body: any
}

export interface WebRecipientServer extends AsyncDisposable {
  readonly origin: string
  readonly posted: readonly Posted[]
}

export interface WebAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The connection ends before the answer does. */
  readonly breaksOff?: boolean
}

export async function startWebRecipient(
  answer: (posted: Posted) => WebAnswer | 'hang up' = () => ({ status: 200, body: 'ok' }),
): Promise<WebRecipientServer> {
  const posted: Posted[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message: Posted = { path: request.url ?? '', headers: request.headers, body: JSON.parse(body) }
      posted.push(message)
      const answered = answer(message)
      if (answered === 'hang up') {
        request.socket.destroy()
        return
      }
      const { status, headers = {}, body: said = '', breaksOff = false } = answered
      response.writeHead(status, headers)
      if (breaksOff) response.write(said, () => request.socket.destroy())
      else response.end(said)
    })
  })
  const listening = await listenOnLoopback(server)
  return {
    origin: `http://127.0.0.1:${listening.port}`,
    posted,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  }
}
