/**
 * The control socket of a folder: a Unix socket inside of it. Whoever may enter the folder may speak to the process that has it
 * open, and nobody else; the folder is its owner's alone (db/pglite/data-dir-mode.ts).
 */
import { constants } from 'node:fs'
import { lstat, open } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'

const socketName = 'headcount.socket'

/** Bytes of a path that every system takes (Linux 107, macOS 103). */
const MAX_PATH_BYTES = 100

/** The address of a socket, good until it is disposed of. */
export interface SocketAddress extends AsyncDisposable {
  readonly path: string
}

/**
 * A longer path is written as that of an open folder of this process, which Linux has.
 *
 * @throws what the system says of the folder
 */
export async function socketAddress(folder: string): Promise<SocketAddress> {
  const path = join(folder, socketName)
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES || process.platform !== 'linux') {
    return { path, [Symbol.asyncDispose]: async () => {} }
  }
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  return {
    path: `/proc/self/fd/${opened.fd}/${socketName}`,
    [Symbol.asyncDispose]: () => opened.close(),
  }
}

/** Whether somebody listens there; the socket of a process that was killed stays, and nobody does. */
export async function isListenedOn(folder: string): Promise<boolean> {
  const found = await lstat(join(folder, socketName)).catch(() => null)
  if (found?.isSocket() !== true) return false
  try {
    await using address = await socketAddress(folder)
    return await canConnect(address.path)
  } catch {
    // The folder is gone: opening it says so.
    return false
  }
}

function canConnect(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
