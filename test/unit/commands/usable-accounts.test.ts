import { expect, test, vi } from 'vitest'
import { onlyNamed, usableAccounts } from '../../../src/commands/sync/accounts/usable-accounts.ts'
import { openAccounts, type AccountsReader } from '../../../src/config/accounts/accounts-reader.ts'
import { accountsFolder, ACCOUNTS_URL } from '../../support/files/accounts-folder.ts'

/** Reads the accounts of a folder as a worker does. @param select those that it keeps to */
async function reading(
  folder: ReturnType<typeof accountsFolder>,
  select: (reader: AccountsReader) => AccountsReader = (reader) => reader,
) {
  const environment = { HEADCOUNT_BASE_URL: ACCOUNTS_URL, HEADCOUNT_ACCOUNTS_FILE: folder.file }
  const reader = await openAccounts({}, environment)
  if (reader === null) throw new Error('no accounts')
  const logger = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  return { read: usableAccounts(select(reader), { redact: () => {}, logger }), logger }
}

test('that a tenth of the accounts or more, and at least two, are gone at once is a warning', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `a${n}`)
  const folder = accountsFolder(names)
  const list = (count: number) =>
    folder.write(
      'accounts.yaml',
      names
        .slice(0, count)
        .reduce((text, name) => `${text}  - { name: ${name}, key_file: keys/${name}.key }\n`, 'accounts:\n'),
    )
  list(30)
  const { read, logger } = await reading(folder)
  await read()
  /** The warnings when so many accounts are left. */
  const warningsAt = async (count: number) => {
    list(count)
    expect((await read())?.accounts).toHaveLength(count)
    return logger.warn.mock.calls.splice(0)
  }
  expect(await warningsAt(28)).toEqual([])
  expect(await warningsAt(25)).toEqual([
    [
      { removed: 3, accounts: 25 },
      'the accounts changed: 0 new, 0 changed, 3 removed (a25, a26, a27). 3 of 28 are not listed any more, and no longer read: see whether the whole list is there',
    ],
  ])
  expect(await warningsAt(2)).toHaveLength(1)
  expect(await warningsAt(1)).toEqual([])
  expect(await warningsAt(30)).toEqual([])
  expect(logger.info.mock.calls.map(([, message]) => String(message).split(' (')[0])).toEqual([
    'the accounts changed: 0 new, 0 changed, 2 removed',
    'the accounts changed: 0 new, 0 changed, 1 removed',
    'the accounts changed: 29 new',
  ])
})

test('another bound on the requests of a host is told, once, for it needs another start', async () => {
  const folder = accountsFolder(['ada'])
  const list = (concurrency: number) =>
    folder.write(
      'accounts.yaml',
      `defaults: { concurrency: ${concurrency} }\naccounts:\n  - { name: ada, key_file: keys/ada.key }\n`,
    )
  list(8)
  const { read, logger } = await reading(folder)
  await read()
  list(2)
  await read()
  folder.write('keys/ada.key', 'canary-second')
  await read()
  expect(logger.warn.mock.calls).toEqual([
    [
      { concurrency: 2, requests_per_host: 8 },
      expect.stringContaining('all runs together still send up to 8 requests to one host at once'),
    ],
  ])
  list(8)
  await read()
  expect(logger.warn).toHaveBeenCalledTimes(1)
})

test('that the only account that is asked for is gone is a fault, and no reason to be called healthy', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  const list = (...names: readonly string[]) =>
    folder.write(
      'accounts.yaml',
      `accounts:\n${names.map((name) => `  - { name: ${name}, key_file: keys/${name}.key }\n`).join('')}`,
    )
  list('ada', 'bob')
  const { read, logger } = await reading(folder, (reader) => onlyNamed(reader, 'ada'))
  expect(await read()).toMatchObject({ accounts: [{ account: 'ada' }], faults: [] })
  list('bob')
  expect(await read()).toEqual({
    accounts: [],
    faults: [expect.stringMatching(/accounts\.yaml, of which --account .* asks for "ada", has no account$/)],
  })
  expect(logger.error.mock.calls).toEqual([
    [{}, expect.stringMatching(/^nothing is read any more: .* has no account$/)],
  ])
  list('ada', 'bob')
  expect(await read()).toMatchObject({ accounts: [{ account: 'ada' }], faults: [] })
})
