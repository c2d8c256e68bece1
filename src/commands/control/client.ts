/** The side of a command that finds a folder open in another process: asks that process. */
import { Client } from 'undici'
import { commandName } from '../../common/command-name.ts'
import { codeOf } from '../../db/errors/sqlstate.ts'
import { DatabaseError } from '../../common/errors.ts'
import type { QueryResult } from '../../db/transaction.ts'
import { version } from '../../common/version.ts'
import type { Call, Receive } from '../../mirror/calls/call.ts'
import { decodeLine, HolderError, linesOf } from './messages.ts'
import { socketAddress } from './socket.ts'

export interface CallOptions {
  readonly force: boolean
  readonly receive: Receive
  readonly signal: AbortSignal
}

/**
 * Has a call done by the process that has the folder open. Null when that one ended before it said anything, and nothing can
 * have been changed: then the folder is free, or soon will be.
 *
 * @throws HolderError: what that process threw; DatabaseError when it ended in the middle
 */
export async function callHolder<Input, Output>(
  folder: string,
  call: Call<Input, Output>,
  input: Input,
  { receive, signal, force }: CallOptions,
): Promise<{ readonly value: Output } | null> {
  await using address = await socketAddress(folder)
  const client = new Client('http://localhost', {
    socketPath: address.path,
    // Some wait for a batch, and those who wait for them say when that is too long.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let isBegun = false
  try {
    const { body } = await client.request({
      method: 'POST',
      path: `/${call.name}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: version(), command: commandName(), input, force }),
      signal,
    })
    for await (const line of linesOf(body)) {
      const message = decodeLine(line)
      if (message === null) break
      if ('error' in message) {
        const { code, exit_code, message: text } = message.error
        throw new HolderError(code, exit_code, text)
      }
      // Written by this very program in the same version: it is what the call answers.
      if ('value' in message) return { value: message.value as Output }
      isBegun = true
      await receive(message.part as unknown as QueryResult)
    }
  } catch (error) {
    signal.throwIfAborted()
    const code = codeOf(error) ?? ''
    if (!lost.includes(code)) throw error
    if (neverSent.includes(code)) return null
  } finally {
    await client.destroy()
  }
  if (!call.changes && !isBegun) return null
  throw new DatabaseError(
    `The process that has the folder ${folder} open ended before it had answered. ${call.changes ? 'Check whether it took effect, and run again if it did not.' : 'Run again.'}`,
  )
}

const neverSent = ['ECONNREFUSED', 'ENOENT']
const lost = [...neverSent, 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
