/** The JSON schema that editors check an accounts file by, and the reader: what the reader takes, no editor marks. */
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { accountsSchema } from '../../../../build/reference/accounts-schema.ts'
import { entryKeys } from '../../../../src/config/accounts/keys.ts'
import { accountSettings } from '../../../../src/config/settings.ts'
import { accountsFolder } from '../../../support/files/accounts-folder.ts'
import { examples } from '../../../support/seed.ts'

const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
  JSON.parse(await accountsSchema()),
)

const entry = { name: 'ada', key_file: 'keys/ada.key' }

/** Whether the reader finds no fault; the document is written as JSON. */
async function isRead(document: unknown): Promise<boolean> {
  const folder = accountsFolder(['ada', 'bob'])
  folder.write('person.key', 'k'.repeat(32))
  const text = JSON.stringify(document)
  if ((await folder.refusal(text)).length > 0) return false
  return (await folder.read(text)).faults.length === 0
}

test('every setting that may differ by account is in the schema, with what it is for', () => {
  const { definitions } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../../../docs/operate/accounts.schema.json'), 'utf8'),
  )
  expect(Object.keys(definitions)).toEqual([...entryKeys.keys()])
  expect([...entryKeys.keys()]).toEqual(expect.arrayContaining([...accountSettings.keys()]))
  for (const definition of Object.values(definitions))
    expect(definition).toMatchObject({ description: expect.stringMatching(/^[a-z][^`[]{8,}$/) })
})

test.each([
  ['an entry', { accounts: [entry] }],
  ['the address of the schema', { $schema: 'x.json', accounts: [entry] }],
  ['nothing in defaults', { defaults: null, accounts: [entry] }],
  ['defaults', { defaults: { concurrency: 4, timezone: 'Europe/Berlin' }, accounts: [entry] }],
  ['a list of fields', { accounts: [{ ...entry, leave_out: ['responses.message'] }] }],
  ['fields between commas', { accounts: [{ ...entry, leave_out: 'responses.message,responses._extra' }] }],
  ['a size in bytes', { accounts: [{ ...entry, max_body: 2048 }] }],
  ['a size with its unit', { accounts: [{ ...entry, max_body: '2MiB' }] }],
  ['plain http', { accounts: [{ ...entry, base_url: 'http://far.example/api/v1', allow_http: true }] }],
  ['a key of the suppression list', { accounts: [{ ...entry, person_key_file: 'person.key' }] }],
])('%s is taken by both', async (_, document) => {
  expect(isValid(document)).toBe(true)
  expect(await isRead(document)).toBe(true)
})

test.each([
  ['no accounts', {}],
  ['an empty list', { accounts: [] }],
  ['a list of names', { accounts: ['ada'] }],
  ['an unknown key', { accounts: [entry], account: [] }],
  ['an unknown setting', { accounts: [{ ...entry, shedule: '0 * * * *' }] }],
  ['a key', { accounts: [{ ...entry, api_key: 'x' }] }],
  ['a name in defaults', { defaults: { name: 'ada' }, accounts: [entry] }],
  ['no name', { accounts: [{ key_file: 'keys/ada.key' }] }],
  ['no key file', { accounts: [{ name: 'ada' }] }],
  ['a name with a line break', { accounts: [{ ...entry, name: 'a\nb' }] }],
  ['a blank name', { accounts: [{ ...entry, name: ' ' }] }],
  ['too many requests at once', { accounts: [{ ...entry, concurrency: 257 }] }],
  ['a number in quotes', { accounts: [{ ...entry, concurrency: '8' }] }],
  ['a half', { accounts: [{ ...entry, concurrency: 1.5 }] }],
  ['a duration without a unit', { accounts: [{ ...entry, hold_for: '60' }] }],
  ['a number for a duration', { accounts: [{ ...entry, hold_for: 60 }] }],
  ['a yes in words', { accounts: [{ ...entry, allow_http: 'yes' }] }],
  ['a small size', { accounts: [{ ...entry, max_body: 1 }] }],
  ['a comma in a list', { accounts: [{ ...entry, leave_out: ['a,b'] }] }],
  ['nothing in a list', { accounts: [{ ...entry, leave_out: [''] }] }],
  [
    'more fields than there are',
    { accounts: [{ ...entry, leave_out: Array.from({ length: 101 }, () => 'a') }] },
  ],
  ['nothing', { accounts: [{ ...entry, timezone: null }] }],
  ['an empty text', { accounts: [{ ...entry, schedule: '' }] }],
])('%s is refused by both', async (_, document) => {
  expect(isValid(document)).toBe(false)
  expect(await isRead(document)).toBe(false)
})

test('whatever the reader takes, the schema takes', async () => {
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      '7d',
      '1h',
      '24d',
      '8',
      '2048',
      '',
      'UTC',
      '0 7 * * *',
      'https://a.example/api/v1',
      'person.key',
    ),
    fc.constantFrom<unknown>(
      0,
      1,
      8,
      256,
      257,
      2048,
      1.5,
      -1,
      1e20,
      true,
      false,
      null,
      [],
      ['email'],
      ['a,b'],
      [''],
      [1],
      {},
    ),
  )
  const settingsOfEntry = fc.dictionary(fc.constantFrom(...entryKeys.keys(), 'other'), value, { maxKeys: 3 })
  let taken = 0
  const agrees = fc.asyncProperty(settingsOfEntry, async (own) => {
    const document = { accounts: [{ ...entry, ...own }] }
    if (!(await isRead(document))) return
    taken += 1
    expect(isValid(document)).toBe(true)
  })
  await fc.assert(agrees, { numRuns: examples(100) })
  expect(taken).toBeGreaterThan(20)
})

test('the example of the document is taken by both', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/operate/many-accounts.md'), 'utf8')
  const examples = [...page.matchAll(/```yaml\n(# yaml-language-server: \$schema=[^]*?)```/g)].map(
    ([, text = '']) => text,
  )
  expect(examples).toHaveLength(1)
  for (const text of examples) {
    expect(isValid(parse(text))).toBe(true)
    const folder = accountsFolder()
    for (const [, file = ''] of text.matchAll(/key_file: (\S+)/g))
      folder.write(file, `${file} ${'k'.repeat(32)}`)
    expect((await folder.read(text)).faults).toEqual([])
  }
})
