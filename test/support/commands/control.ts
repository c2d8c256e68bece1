/** The control socket of a PGlite folder, spoken to without the command. */
import { join } from 'node:path'
import { Client } from 'undici'
import { version } from '../../../src/common/version.ts'

export function socketOf(url: string): string {
  return join(url.slice('pglite:'.length), 'headcount.socket')
}

/** Sends a call as it stands, and gives the lines of the answer. */
export async function sendCall(
  url: string,
  name: string,
  input: unknown,
  from: { readonly version?: string } = {},
): Promise<readonly unknown[]> {
  const client = new Client('http://localhost', { socketPath: socketOf(url) })
  try {
    const { body } = await client.request({
      method: 'POST',
      path: `/${name}`,
      body: JSON.stringify({ version: version(), command: 'headcount', input, force: false, ...from }),
    })
    const text = await body.text()
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  } finally {
    await client.close()
  }
}
