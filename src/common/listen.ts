import { once } from 'node:events'
import type { Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { toError } from './abort.ts'
import { UsageError } from './errors.ts'

/**
 * Listens, on any free port when it is 0.
 *
 * @param who what a failure says cannot listen, ending with a space; `remedy` is what to do then
 * @returns the port
 * @throws UsageError when the address cannot be listened on
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  { who, remedy }: { readonly who: string; readonly remedy: string },
): Promise<number> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    const { message } = toError(cause)
    throw new UsageError(`${who}cannot listen on ${withBrackets(host)}:${port} (${message}): ${remedy}`, {
      cause,
    })
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** The host of a socket as URLs take it: an IPv6 address in brackets. */
export function withBrackets(host: string): string {
  return isIPv6(host) ? `[${host}]` : host
}

/** The host of a URL as sockets take it: an IPv6 address without its brackets. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** @param hostname as in a URL: an IPv6 address stands in brackets */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname)
}
