import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { references } from '../../../build/reference/references.ts'
import { variableNames } from '../../../src/config/settings.ts'

const root = join(import.meta.dirname, '../../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test.each(references)('$file is what `npm run docs` makes of the program', async ({ file, make }) => {
  expect(await make()).toBe(textOf(file))
})

test('every setting is in the table of docs/cli.md, and no other', () => {
  const text = textOf('docs/cli.md')
  const rows = text
    .slice(text.indexOf('## Settings'))
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const told = rows.flatMap((row) => row.split('|')[1]?.match(/HEADCOUNT_\w+/g) ?? [])
  expect(told.toSorted()).toEqual(variableNames.toSorted())
  expect(rows.filter((row) => row.split('|').at(-2)?.trim() === '')).toEqual([])
})

test('every document that another one links to is there', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md', 'docs/queries.md', 'docs/cli.md']
  for (const document of documents) {
    const links = [...textOf(document).matchAll(/\]\(([\w./-]+\.md)\)/g)].map(([, link = '']) => link)
    expect(links.map((link) => textOf(join(document, '..', link)).length > 0)).not.toContain(false)
  }
})

test('every module that the page of the architecture names is there', () => {
  const named = [...textOf('docs/architecture.md').matchAll(/`((?:[\w-]+\/)+[\w-]+\.ts)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(20)
  const missing = named.filter((path) => {
    try {
      return textOf(join('src', path)) === ''
    } catch {
      return true
    }
  })
  expect(missing).toEqual([])
})
