/** Reads the file that locks a folder. */
import type { BigIntStats } from 'node:fs'
import { readFile, stat, type FileHandle } from 'node:fs/promises'
import { errorCode } from '../../common/error-code.ts'
import { isObject, parseJson, type JsonValue } from '../../common/json/exact.ts'
import { parseProcessIdentity, type ProcessIdentity } from './process-identity.ts'

export const lockName = 'headcount.lock'

export interface StoredLock {
  /** Unique for each lock; '' while the file is being written. */
  readonly id: string
  readonly holder: ProcessIdentity | null
  readonly beat: number
  /** Whether the file names another file than itself: it was copied with its folder. */
  readonly isCopy: boolean
}

export async function readLock(path: string): Promise<StoredLock | null> {
  const text = await unlessCode('ENOENT', () => readFile(path, 'utf8'))
  const file = await unlessCode('ENOENT', () => stat(path, { bigint: true }))
  if (text === null || file === null) return null
  const content = parseOrNull(text)
  // A lock of a former version does not name its file.
  const named = isObject(content) && typeof content['file'] === 'string' ? content['file'] : null
  return {
    id: idOf(text),
    holder: parseProcessIdentity(content),
    beat: Number(file.mtimeNs) / 1e6,
    isCopy: named !== null && named !== numbersOf(file),
  }
}

/** Names a file that is open. It stays the same when the folder is moved, and is another one in a copy. */
export async function identityOf(file: FileHandle): Promise<string> {
  return numbersOf(await file.stat({ bigint: true }))
}

function numbersOf({ dev, ino }: BigIntStats): string {
  return `${dev}:${ino}`
}

export function idOf(text: string): string {
  const content = parseOrNull(text)
  return isObject(content) && typeof content['id'] === 'string' ? content['id'] : ''
}

function parseOrNull(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** Null when the work fails with this code of the system. */
export async function unlessCode<T>(code: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (errorCode(error) === code) return null
    throw error
  }
}
