/** Writes the documents that are made from the program: `npm run docs`. A test compares them. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runProgram } from '../../test/support/commands/program.ts'
import { references } from './references.ts'

const help = `npm run docs

  Writes the documents that are made from the program: ${references.map(({ file }) => file).join(', ')}.
`

process.exitCode = await runProgram(help, {}, async () => {
  for (const { file, make } of references) {
    await writeFile(join(import.meta.dirname, '../..', file), await make())
    process.stdout.write(`${file}\n`)
  }
  return true
})
