/** Reads the file that locks a folder. */
import { readFile, stat } from 'node:fs/promises'
import { errorCode } from '../../common/error-code.ts'
import { isObject, parseJson, type JsonValue } from '../../common/json/exact.ts'
import { parseProcessIdentity, type ProcessIdentity } from '../lease/process-identity.ts'

export const lockName = 'headcount.lock'

export interface StoredLock {
  /** Unique for each lock; '' while the file is being written. */
  readonly id: string
  readonly holder: ProcessIdentity | null
  readonly beat: number
}

export async function readLock(path: string): Promise<StoredLock | null> {
  const text = await unlessCode('ENOENT', () => readFile(path, 'utf8'))
  const file = await unlessCode('ENOENT', () => stat(path))
  if (text === null || file === null) return null
  return { id: idOf(text), holder: parseProcessIdentity(parseOrNull(text)), beat: file.mtimeMs }
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
