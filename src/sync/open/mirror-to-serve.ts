import type { Database } from '../../db/connect.ts'
import { openMirror } from './open-mirror.ts'
import { prepareRun } from './open-run.ts'
import { resolveOptions } from '../options.ts'
import type { RunOptions } from '../options.ts'

/**
 * Opens the mirror that a program serves and keeps up to date. Where there is none the service is asked first, as by a
 * run: a key that is refused leaves nothing behind.
 *
 * @throws as openMirror.
 */
export async function openMirrorToServe(options: RunOptions): Promise<Database> {
  await using opened = new AsyncDisposableStack()
  const { database } = await openMirror(prepareRun(resolveOptions(options), opened))
  return database
}
