import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { cannotReadSecret } from '../../common/text/cannot-read.ts'
import { InvalidValueError } from '../../common/parse-values.ts'

/** Far more than a key, and far less than what was named by mistake. */
const MAX_BYTES = 65_536

/**
 * The text of a file that holds one secret. No message has a part of it.
 *
 * @param given the path as it stands in the settings, relative to a folder
 * @throws InvalidValueError that continues the name of the setting
 */
export async function readSecretFile(given: string, folder: string): Promise<string> {
  const path = resolve(folder, given)
  const shown = JSON.stringify(path)
  let text: string
  try {
    // A pipe would wait for ever for somebody who writes.
    const found = await stat(path)
    if (!found.isFile()) throw new InvalidValueError(`: ${shown} is no file`)
    if (found.size > MAX_BYTES)
      throw new InvalidValueError(`: ${shown} has ${found.size} bytes: that is no key`)
    text = (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof InvalidValueError) throw error
    throw new InvalidValueError(`: ${cannotReadSecret(given, path, error)}`)
  }
  if (text === '') throw new InvalidValueError(`: the file ${shown} is empty: write the key into it`)
  return text
}
