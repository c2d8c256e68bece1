import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { declaredCommands } from '../../../build/reference/declared-commands.ts'
import { references } from '../../../build/reference/references.ts'
import { variableNames } from '../../../src/config/settings.ts'
import { lendPglite } from '../../support/databases/lending.ts'

const root = join(import.meta.dirname, '../../..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

test.each(references)('$file is what `npm run docs` makes of the program', async ({ file, make }) => {
  await using lent = await lendPglite()
  expect(await make(lent.pglite)).toBe(textOf(file))
})

test('the manual page has every command, and nothing that troff takes for a request', () => {
  const page = textOf('build/headcount.1')
  const lines = page.trimEnd().split('\n')
  // oxlint-disable-next-line no-control-regex -- bytes of ASCII
  expect(page).toMatch(/^[\n\x20-\x7e]*$/)
  expect(lines.filter((line) => /^[.']/.test(line) && !/^\.(?:TH|SH|SS|PP|TP|B|I|RI)\b/.test(line))).toEqual(
    [],
  )
  const { groups } = declaredCommands()
  for (const command of groups.flatMap(({ commands }) => commands))
    expect(page).toMatch(
      new RegExp(`^\\.SS "headcount (?:[\\w\\\\-]+ )?${command.name().replaceAll('-', '\\\\-')}\\b`, 'm'),
    )
})

const formatters = [
  ['/usr/bin/groff', ['-man', '-Tutf8', '-ww']],
  ['/usr/bin/mandoc', ['-T', 'utf8']],
] as const

describe.each(formatters)('%s', (program, flags) => {
  test.skipIf(!existsSync(program))('shows the manual page without a warning', () => {
    const page = join(root, 'build/headcount.1')
    const { status, stdout, stderr } = spawnSync(program, [...flags, page], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('Keeps a Postgres mirror')
  })
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
