import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { faults, faultsIn } from '../../proof/faults.ts'
import { guards } from '../../proof/guards.ts'

const root = join(import.meta.dirname, '../../..')
const text = await readFile(join(root, 'docs/reliability.md'), 'utf8')

test('the table of docs/reliability.md names every guard and its promise, in the order of the list', () => {
  const table = text.slice(text.indexOf('| guard |'), text.indexOf('\n## ', text.indexOf('| guard |')))
  const rows = table.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| guard |'))
  const cells = rows.map((row) =>
    row
      .split(/(?<!\\) \| /)
      .slice(0, 2)
      .join(' | ')
      .slice(2),
  )
  expect(cells).toEqual(guards.map(({ name, promise }) => `${name} | ${promise}`))
})

test('every test that docs/reliability.md names is there, and every fault is one of the list', async () => {
  const files = new Set<string>()
  for await (const file of glob('**/*.test.ts', { cwd: join(root, 'test') })) files.add(file)
  const named = text.match(/[\w/-]+\.test\.ts/g) ?? []
  expect(named.filter((file) => !files.has(file))).toEqual([])
  const known = new Set(faults.map(({ id }) => id))
  expect(faultsIn(text).filter((id) => !known.has(id))).toEqual([])
})
