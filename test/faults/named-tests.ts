import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { faultsIn } from './faults.ts'

/** A name in the sources of the tests that begins with the ids of faults. */
export interface NamedTest {
  readonly file: string
  readonly line: number
  readonly name: string
  readonly ids: readonly string[]
}

const literal = /(['"`])([NHPSDIOXV]\d{1,2}\b[^\n]*?)(?<!\\)\1/g

/** Where tests name faults, read off the sources: nothing is run. */
export async function namedTests(root: string): Promise<readonly NamedTest[]> {
  const named: NamedTest[] = []
  for await (const file of glob('test/**/*.test.ts', { cwd: root })) {
    const lines = (await readFile(join(root, file), 'utf8')).split('\n')
    for (const [place, line] of lines.entries()) {
      for (const [, , name = ''] of line.matchAll(literal))
        named.push({ file, line: place + 1, name, ids: faultsIn(name) })
    }
  }
  return named.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line))
}
