import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { formatBytes } from '../../../common/text/number.ts'
import { DATABASE, UNEXPECTED, failed, failure, ok, warning, type CheckResult } from './check.ts'
import { folderOf, nearestExisting } from './database-checks.ts'

/** An embedded database takes 40 MB when it is empty. */
const LEAST = 100e6
const COMFORTABLE = 1e9

/** Free space where an embedded database grows; with a server, where large lists are put down meanwhile. */
export async function checkSpace(target: string): Promise<CheckResult> {
  const folder = folderOf(target)
  const place = await nearestExisting(folder ?? tmpdir())
  try {
    const { bavail, bsize } = await statfs(place)
    const free = bavail * bsize
    const detail = `${formatBytes(free)} free in ${place}`
    if (free < LEAST) return failed(folder === null ? UNEXPECTED : DATABASE, `${detail}: free some space`)
    return free < COMFORTABLE ? warning(`${detail}: a large account needs more`) : ok(detail)
  } catch (error) {
    return failure(error, UNEXPECTED)
  }
}
