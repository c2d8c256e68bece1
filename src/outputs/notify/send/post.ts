/** Posts a document to a web address. */
import { Agent, request } from 'undici'
import { version } from '../../../common/version.ts'
import { isBeforeRequest } from '../../../source/http/network-errors.ts'
import { ProxyError } from '../../../source/http/proxy.ts'
import { createProxyAgent } from '../../../source/http/proxy-agent.ts'
import { isTransientStatus } from '../../../source/retry/policy.ts'
import { readRetryAfter } from '../../../source/retry/retry-after.ts'
import { secretsOf, type WebRecipient } from '../recipient.ts'
import { errorLine, reasonOf, sendFailure, type SendResult } from './result.ts'

const MAX_CONNECT_MS = 10_000
/** Much more than stands in a message: the secrets are removed from it first, and a part of one would not be found. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Never throws. Follows no redirect: the address is a secret, and so is the message. @param signal also ends it by its deadline */
export async function post(
  recipient: WebRecipient,
  document: object,
  messageId: string,
  signal: AbortSignal,
): Promise<SendResult> {
  const { url } = recipient
  const agent =
    recipient.proxy === undefined
      ? createAgent()
      : createProxyAgent(recipient.proxy, { connectTimeoutMs: MAX_CONNECT_MS })
  try {
    const response = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `headcount/${version()}`,
        // A receiver that sees it twice has the message already.
        'idempotency-key': messageId,
      },
      body: JSON.stringify(document),
      dispatcher: agent,
      signal,
    })
    const { statusCode, headers } = response
    if (statusCode >= 200 && statusCode < 300) return { isAccepted: true }
    const answer = statusCode < 400 ? REDIRECT : await beginningOf(response.body)
    return sendFailure(errorLine(`${new URL(url).host}: ${statusCode} ${answer}`, secretsOf(recipient)), {
      isPermanent: !isTransientStatus(statusCode),
      // A receiver that knows the key has the message, and may be at it still.
      mayBeAccepted: statusCode === CONFLICT || /* guard: gateways of recipients */ isOfGateway(statusCode),
      retryAfterMs: readRetryAfter(textOf(headers['retry-after']), textOf(headers['date']), Date.now()),
    })
  } catch (error) {
    const { host } = new URL(url)
    const found = error instanceof ProxyError ? error.reason(host) : reasonOf(error, signal)
    const reason = errorLine(`${host}: ${found}`, secretsOf(recipient))
    return sendFailure(reason, { mayBeAccepted: !isBeforeRequest(error) })
  } finally {
    await agent.destroy()
  }
}

function createAgent(): Agent {
  return new Agent({
    connect: { /* guard: certificates of recipients */ rejectUnauthorized: true, timeout: MAX_CONNECT_MS },
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
}

const CONFLICT = 409

/** Of a proxy that heard no answer from the receiver, which may have the message: the two of RFC 9110, and Cloudflare's. */
function isOfGateway(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 527)
}

const REDIRECT = 'It leads elsewhere; give the address that it leads to'

/** What came of it: the status has said already that the message is refused. */
async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body) {
      parts.push(part)
      size += part.byteLength
      if (size >= MAX_ANSWER_BYTES) break
    }
  } catch {
    // What is missing would only explain it.
  }
  return Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES).toString('utf8')
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}
