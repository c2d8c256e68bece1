import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { openAccounts, type AccountsReader } from '../../../../src/config/accounts/accounts-reader.ts'
import { accountsFolder, ACCOUNTS_URL, type AccountsFolder } from '../../../support/files/accounts-folder.ts'

afterEach(() => {
  vi.useRealTimers()
})

const entry = (name: string) => `  - { name: ${name}, key_file: keys/${name}.key }\n`
const list = (...names: readonly string[]) => `accounts:\n${names.map(entry).join('')}`

async function open(folder: AccountsFolder): Promise<AccountsReader> {
  const reader = await openAccounts(
    {},
    { HEADCOUNT_BASE_URL: ACCOUNTS_URL, HEADCOUNT_ACCOUNTS_FILE: folder.file },
  )
  if (reader === null) throw new Error('no accounts')
  return reader
}

async function namesOf(reader: AccountsReader) {
  const { accounts, fault, isNew } = await reader.current()
  return { names: accounts.accounts.map(({ account }) => account), fault: fault?.message ?? null, isNew }
}

test('the accounts are new once, and then when the file changed', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  folder.write('accounts.yaml', list('ada'))
  const reader = await open(folder)
  expect(await namesOf(reader)).toEqual({ names: ['ada'], fault: null, isNew: true })
  expect(await namesOf(reader)).toEqual({ names: ['ada'], fault: null, isNew: false })
  folder.write('accounts.yaml', list('ada', 'bob'))
  expect(await namesOf(reader)).toEqual({ names: ['ada', 'bob'], fault: null, isNew: true })
  // Only the time stamp and a comment are others.
  folder.write('accounts.yaml', `# all\n${list('ada', 'bob').replaceAll('\n', ' \n')}`)
  expect((await reader.current()).accounts.accounts).toHaveLength(2)
})

test('a change within one step of the time stamps, and as long as before, is seen', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  folder.write('accounts.yaml', list('ada'))
  const reader = await open(folder)
  await reader.current()
  folder.write('accounts.yaml', list('bob'))
  utimesSync(folder.file, 1, 1)
  expect(await namesOf(reader)).toMatchObject({ names: ['bob'], isNew: true })
})

test('a fault of the file as a whole is looked at until it is mended, also in a file that was not known', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  folder.write('accounts.yaml', list('ada'))
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] })
  const reader = await open(folder)
  await reader.current()
  folder.write('accounts.yaml', `defaults: { person_key_file: keys/person.key }\n${list('ada', 'bob')}`)
  utimesSync(folder.file, 1, 1)
  vi.setSystemTime(Date.now() + 10_000)
  expect(await namesOf(reader)).toMatchObject({
    names: ['ada'],
    fault: expect.stringContaining('person.key'),
  })
  folder.write('keys/person.key', 'p'.repeat(32))
  expect(await namesOf(reader)).toEqual({ names: ['ada', 'bob'], fault: null, isNew: true })
})

test('files that stay are looked at and not read', async () => {
  const folder = accountsFolder(['ada'])
  folder.write('accounts.yaml', list('ada'))
  vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] })
  const reader = await open(folder)
  const { accounts } = await reader.current()
  expect((await reader.current()).accounts).toBe(accounts)
  folder.write('keys/ada.key', 'canary-second')
  expect((await reader.current()).accounts.accounts[0]?.service.apiKey).toBe('canary-second')
})

test('a key file that is written, replaced, removed or comes back changes its account', async () => {
  const folder = accountsFolder(['ada'])
  folder.write('accounts.yaml', list('ada', 'bob'))
  const reader = await open(folder)
  expect(await namesOf(reader)).toMatchObject({ names: ['ada'], isNew: true })
  renameSync(folder.write('new.key', 'canary-bob'), join(folder.path, 'keys/bob.key'))
  expect(await namesOf(reader)).toMatchObject({ names: ['ada', 'bob'], isNew: true })
  rmSync(join(folder.path, 'keys/ada.key'))
  expect(await namesOf(reader)).toMatchObject({ names: ['bob'], isNew: true })
})

test('a folder behind a link that is exchanged is seen, as Kubernetes does it', async () => {
  const folder = accountsFolder()
  const version = (name: string, key: string) => {
    folder.write(`..${name}/ada`, key)
    const link = join(folder.path, '..data_tmp')
    symlinkSync(`..${name}`, link)
    renameSync(link, join(folder.path, '..data'))
  }
  version('1', 'canary-one')
  symlinkSync('..data/ada', join(folder.path, 'ada'))
  const reader = await openAccounts({}, { HEADCOUNT_BASE_URL: ACCOUNTS_URL, HEADCOUNT_KEYS_DIR: folder.path })
  const keyOf = async () => (await reader?.current())?.accounts.accounts.map(({ service }) => service.apiKey)
  expect(await keyOf()).toEqual(['canary-one'])
  version('2', 'canary-two')
  expect(await keyOf()).toEqual(['canary-two'])
})

test('while the file cannot be used the former accounts go on, and the fault is told once', async () => {
  const folder = accountsFolder(['ada'])
  folder.write('accounts.yaml', list('ada'))
  const reader = await open(folder)
  await reader.current()
  folder.write('accounts.yaml', 'accounts: [')
  expect(await namesOf(reader)).toEqual({
    names: ['ada'],
    fault: expect.stringContaining('not YAML'),
    isNew: true,
  })
  expect(await namesOf(reader)).toMatchObject({ names: ['ada'], isNew: false })
  rmSync(folder.file)
  expect(await namesOf(reader)).toEqual({
    names: ['ada'],
    fault: expect.stringContaining('ENOENT'),
    isNew: true,
  })
  mkdirSync(folder.file)
  expect(await namesOf(reader)).toMatchObject({ fault: expect.stringContaining('is a folder'), isNew: true })
  rmSync(folder.file, { recursive: true })
  folder.write('accounts.yaml', list('ada'))
  expect(await namesOf(reader)).toEqual({ names: ['ada'], fault: null, isNew: true })
})

test('a file that cannot be used at the start is refused', async () => {
  const folder = accountsFolder()
  folder.write('accounts.yaml', 'accounts: []')
  await expect(open(folder)).rejects.toThrow(/has no accounts/)
})
