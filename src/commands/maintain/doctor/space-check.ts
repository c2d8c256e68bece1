import { stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { formatBytes } from '../../../common/text/number.ts'
import { pgliteDataDir } from '../../../db/connect.ts'
import { DATABASE, UNEXPECTED, failed, ok, orFailure, warning, type CheckResult } from './check.ts'
import { isWritable, nearestExisting } from './database-checks.ts'

/** An embedded database takes 40 MB when it is empty. */
const LEAST = 100e6
const COMFORTABLE = 1e9

/** Free space where an embedded database grows; with a server, where large lists are put down meanwhile. */
export async function checkSpace(target: string): Promise<CheckResult> {
  const folder = pgliteDataDir(target)
  const unusable = await temporaryFolderFault(tmpdir())
  if (unusable !== null) return failed(DATABASE, unusable)
  const place = folder === null ? tmpdir() : await nearestExisting(folder)
  return orFailure(UNEXPECTED, async () => {
    const { bavail, bsize } = await statfs(place)
    const free = bavail * bsize
    const detail = `${formatBytes(free)} free in ${place}`
    if (free < LEAST) return failed(folder === null ? UNEXPECTED : DATABASE, `${detail}: free some space`)
    return free < COMFORTABLE ? warning(`${detail}: a large account needs more`) : ok(detail)
  })
}

/** Why no temporary file can be made in the folder, with the remedy: whatever the database, large lists need one. */
async function temporaryFolderFault(folder: string): Promise<string | null> {
  const fault = await stat(folder).then(
    (found) => (found.isDirectory() ? null : 'is no folder'),
    () => 'does not exist or cannot be looked at',
  )
  const found = fault ?? ((await isWritable(folder)) ? null : 'cannot be written to')
  if (found === null) return null
  return `${folder} ${found}, and each list above 4 MB needs a temporary file there: name a folder that can be written to in TMPDIR`
}
