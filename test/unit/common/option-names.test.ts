import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { optionName } from '../../../src/common/options/option-names.ts'
import { rejectedKeyRemedy } from '../../../src/source/api-key.ts'

const source = join(import.meta.dirname, '../../../src')

/** What the library is made of, but for the page that describes the service, whose style has two dashes too. */
const files = globSync(['*.ts', '{common,source,normalise,load,db,sync,server}/**/*.ts'], {
  cwd: source,
}).filter((file) => !/^cli\.ts$|^common\/command-name\.ts$|^server\/openapi\/docs-page-style\.ts$/.test(file))

test('a program that uses the library is told of its options, never of variables and flags of the command', () => {
  expect(files.length).toBeGreaterThan(200)
  const told = files.flatMap((file) => {
    const code = readFileSync(join(source, file), 'utf8').replace(/\/\*[^]*?\*\/|\/\/ .*$/gm, '')
    // What stands behind the name of the command is typed, not passed.
    const messages = code.replace(/\$\{commandName\(\)\}[^`.]*/g, '')
    return (messages.match(/.*(?:HEADCOUNT_|[ ('`]--[a-z]).*/g) ?? []).map(
      (line) => `${file}: ${line.trim()}`,
    )
  })
  expect(told).toEqual([])
  expect(optionName('baseUrl')).toBe('`baseUrl`')
})

test('H1 what is said of a refused key names the option, and quotes around it', () => {
  for (const key of ['abc"def', '"abcdef', `"abcdef'`]) {
    expect(rejectedKeyRemedy(key)).toBe(
      "the key in `apiKey` is refused. Make a new one on the service's API page.",
    )
  }
  for (const key of ['"abcdef"', "'abcdef'", '`abcdef`']) {
    expect(rejectedKeyRemedy(key)).toMatch(/^the key in `apiKey` is refused\. It stands in quotation marks/)
    expect(rejectedKeyRemedy(key)).not.toContain('abcdef')
  }
})
