import { connect } from '../../src/db/connect.ts'
import type { Mirror } from '../engines/engine.ts'
import { mirrorDigests, requireEqual } from '../account/equality.ts'
import type { Digests } from '../account/equality.ts'
import { setMark, settle, writesSince } from '../engines/write-counters.ts'
import type { Writes } from '../engines/write-counters.ts'

/**
 * What was written to a mirror since its mark.
 *
 * @throws Error when it does not hold what the service sends.
 */
export async function examine(mirror: Mirror, what: string, expected: Digests): Promise<Writes> {
  await using database = await connect(mirror.url)
  const writes = await writesSince(database, mirror.mark)
  requireEqual(what, await mirrorDigests(database), expected)
  return writes
}

/** Leaves a mirror at rest; its mark is where it is then. */
export async function putToRest(mirror: Mirror): Promise<Mirror> {
  await using database = await connect(mirror.url)
  await settle(database)
  return { ...mirror, mark: await setMark(database) }
}
