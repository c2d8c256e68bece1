import { readFile } from 'node:fs/promises'
import { UsageError } from '../../../common/errors.ts'
import { parsePlain } from '../../../common/json/exact.ts'
import { cannotRead } from '../../../common/text/cannot-read.ts'
import { notAList, type GivenList } from '../../../mirror/persons/suppression-file.ts'

/**
 * Reads the file of `--suppressions`. What is in it is checked by who takes the list.
 *
 * @throws UsageError that names the file
 */
export async function readSuppressionList(path: string): Promise<GivenList> {
  const source = `--suppressions ${JSON.stringify(path)}`
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`--suppressions: ${cannotRead(path, error)}. Nothing was changed.`, { cause: error })
  }
  if (content.trim() === '') throw notAList(source, 'the file is empty')
  try {
    return { source, document: parsePlain(content) }
  } catch {
    throw notAList(source, 'it is no JSON document')
  }
}
