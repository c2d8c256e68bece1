import { glob, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { faults, faultsIn } from '../../../faults/faults.ts'
import { guards } from '../../../mutation/guards.ts'

const root = join(import.meta.dirname, '../../../..')
const text = await readFile(join(root, 'docs/reliability.md'), 'utf8')
const documents = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...(await Array.fromAsync(glob('docs/**/*.md', { cwd: root }))),
]

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

test('every fault that docs/reliability.md names is one of the list', () => {
  const known = new Set(faults.map(({ id }) => id))
  expect(faultsIn(text).filter((id) => !known.has(id))).toEqual([])
})

/** Paths are written from the repository's root, from `src` or from `test`; what is built stands in no checkout. */
const folders = ['', 'src', 'test']
const named =
  /(?<![\w./:-])(?:(?:src|test|bench|build|docs|docker|migrations)\/[\w./-]*\w|(?:[\w-]+\/)*[\w.-]+\.(?:ts|cjs|sql))(?![\w/])/g
const inBackticks = /`((?:[a-z][\w-]*\/)+[\w.-]+|[\w-]+\/)`/g
/** Backticked words with a slash that are no paths. */
const others = /^(?:a\/b|http\/|application\/|dist\/|node_modules\/|events\/|\.)/

test.each(documents)('every path that %s names is there', async (document) => {
  const page = await readFile(join(root, document), 'utf8')
  const paths = [...page.matchAll(named)].map(([path]) => path)
  paths.push(
    ...[...page.matchAll(inBackticks)].map(([, path = '']) => path).filter((path) => !others.test(path)),
  )
  const beside = dirname(document)
  const missing = paths.filter(
    (path) => ![...folders, beside].some((folder) => existsSync(join(root, folder, path))),
  )
  expect(missing).toEqual([])
})

test.each(documents)('every document and heading that %s links to is there', async (document) => {
  const page = await readFile(join(root, document), 'utf8')
  for (const [, path = '', heading] of page.matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)) {
    const target = path === '' ? page : await readFile(join(root, dirname(document), path), 'utf8')
    if (heading !== undefined) expect(anchorsOf(target)).toContain(heading)
  }
})

function anchorsOf(page: string): string[] {
  return [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  )
}

test('each decision has a number of its own, and docs/decisions.md names the highest', async () => {
  const page = await readFile(join(root, 'docs/decisions.md'), 'utf8')
  const numbers = [...page.matchAll(/^### (\d+)\. /gm)].map(([, number]) => Number(number))
  expect(numbers.length).toBeGreaterThan(80)
  expect(new Set(numbers).size).toBe(numbers.length)
  expect(page).toContain(`the highest is **${Math.max(...numbers)}**`)
})
