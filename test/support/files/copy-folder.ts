import { chmodSync, cpSync } from 'node:fs'

/**
 * Copies the folder of a PGlite, as its owner's alone. It has a thousand files, for which the `cp` that does not block takes seven
 * times as much processor time.
 */
export function copyDataDir(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
  chmodSync(to, 0o700)
}
