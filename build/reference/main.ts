/** Writes the documents that are made from the program: `npm run docs`. A test compares them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { references } from './references.ts'

for (const { file, make } of references) {
  await writeFile(join(import.meta.dirname, '../..', file), await make())
  process.stdout.write(`${file}\n`)
}
