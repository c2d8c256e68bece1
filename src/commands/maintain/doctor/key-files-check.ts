import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import pLimit from 'p-limit'
import { FILES_AT_ONCE } from '../../../config/accounts/read-accounts.ts'
import type { AccountConfig } from '../../../config/accounts/account-config.ts'
import { formatCount } from '../../../common/text/number.ts'
import { ok, skipped, warning, type CheckResult } from './check.ts'

const OTHERS_READ = 0o004
const OTHERS_ENTER = 0o001

/** Whether other users of this machine can read the keys. A warning and no more: containers are given files of this kind. */
export async function checkKeyFiles(accounts: readonly AccountConfig[]): Promise<CheckResult> {
  if (process.platform === 'win32') return skipped('rights of files are not checked on Windows')
  const limit = pLimit(FILES_AT_ONCE)
  const exposed = await limit.map(accounts, async ({ entry: { keyFile } }) =>
    (await isExposed(keyFile)) ? keyFile : null,
  )
  const found = exposed.filter((file) => file !== null)
  const [first] = found
  const count = formatCount(accounts.length, 'key file')
  if (first === undefined) return ok(`${count}, which other users of this machine cannot read`)
  return warning(
    `${found.length} of ${count} can be read by every user of this machine, the first is ${JSON.stringify(first)}: chmod 600, or close the folder (chmod 700)`,
  )
}

async function isExposed(path: string): Promise<boolean> {
  try {
    const [file, folder] = await Promise.all([stat(path), stat(dirname(path))])
    return (file.mode & OTHERS_READ) !== 0 && (folder.mode & OTHERS_ENTER) !== 0
  } catch {
    return false
  }
}
