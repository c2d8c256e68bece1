import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readAccounts } from '../../../../src/config/accounts/read-accounts.ts'
import { ConfigurationError } from '../../../../src/common/errors.ts'
import { accountsFolder, ACCOUNTS_URL, withoutPath } from '../../../support/files/accounts-folder.ts'

/** The faults of the entries, without the path in front. */
async function faultsOf(text: string, names: readonly string[] = ['ada', 'bob']): Promise<readonly string[]> {
  const folder = accountsFolder(names)
  const { faults } = await folder.read(text)
  return faults.map(({ message }) => withoutPath(message, folder.path))
}

const ada = '  - name: ada\n    key_file: keys/ada.key\n'
const bob = '  - name: bob\n    key_file: keys/bob.key\n'

test('without a file and a folder there are no accounts', async () => {
  expect(await readAccounts({}, {})).toBeNull()
})

test('the bound on requests to a host is that of a flag, of defaults or of the environment, never of an entry', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  const boundOf = async (defaults: string, flags = {}, environment = {}) =>
    (await folder.read(`${defaults}accounts:\n${ada}    concurrency: 2\n${bob}`, flags, environment))
      .requestsPerHost
  expect(await boundOf('')).toBe(8)
  expect(await boundOf('', {}, { HEADCOUNT_CONCURRENCY: '5' })).toBe(5)
  expect(await boundOf('defaults: { concurrency: 3 }\n', {}, { HEADCOUNT_CONCURRENCY: '5' })).toBe(3)
  expect(await boundOf('defaults: { concurrency: 3 }\n', { concurrency: '7' })).toBe(7)
})

test('each account has its own settings, then those of flags, of defaults, and of the environment', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  const { accounts, faults, from } = await folder.read(
    `defaults:
  hold_for: 2h
  max_staleness: 3d
  timezone: Europe/Berlin
accounts:
  - name: ada
    key_file: keys/ada.key
    base_url: https://ada.example/api/v1
    schedule: "0 7 * * *"
    timezone: Europe/Paris
    concurrency: 2
    request_timeout: 10s
    run_timeout: 20m
    max_staleness: 1d
    forget_after: 365d
    leave_out: [responses.message, responses._extra]
    pseudonymise: email
    hold_for: 4h
    max_body: 2048
    allow_http: true
  - name: bob
    key_file: keys/bob.key
`,
    { holdFor: '3h' },
    { HEADCOUNT_CONCURRENCY: '5', HEADCOUNT_TIMEZONE: 'Asia/Tokyo', HEADCOUNT_PERSON_KEY: 'k'.repeat(32) },
  )
  expect(faults).toEqual([])
  expect(from).toBe(folder.file)
  expect(accounts).toMatchObject([
    {
      account: 'ada',
      newAccount: 'for_new_key',
      service: { baseUrl: new URL('https://ada.example/api/v1'), apiKey: 'canary-ada', allowHttp: true },
      run: {
        concurrency: 2,
        requestTimeoutMs: 10_000,
        runTimeoutMs: 1_200_000,
        maxStalenessMs: 86_400_000,
        forgetAfterMs: 365 * 86_400_000,
        leaveOut: ['responses.message', 'responses._extra'],
        pseudonymise: ['email'],
        holdForMs: 4 * 3_600_000,
        maxBodyBytes: 2048,
      },
      worker: { schedule: '0 7 * * *', timezone: 'Europe/Paris' },
    },
    {
      account: 'bob',
      service: { baseUrl: new URL(ACCOUNTS_URL), apiKey: 'canary-bob' },
      run: { concurrency: 5, holdForMs: 3 * 3_600_000, maxStalenessMs: 3 * 86_400_000 },
      worker: { schedule: '*/15 * * * *', timezone: 'Europe/Berlin' },
    },
  ])
})

test('JSON is read as YAML is, with tabs, a byte order mark and the address of its schema', async () => {
  const folder = accountsFolder(['ada'])
  const document = {
    $schema: './accounts.schema.json',
    accounts: [{ name: 'ada', key_file: 'keys/ada.key', concurrency: 3 }],
  }
  const { accounts } = await folder.read(`\uFEFF${JSON.stringify(document, null, '\t')}`)
  expect(accounts).toMatchObject([{ account: 'ada', run: { concurrency: 3 } }])
})

test('a name that no index of the mirror would hold is a fault of its entry, and of no other', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  const long = 'ä'.repeat(201)
  const { accounts, faults } = await folder.read(
    `accounts:\n${ada}  - name: ${long}\n    key_file: keys/bob.key\n`,
  )
  expect(accounts).toMatchObject([{ account: 'ada' }])
  expect(JSON.stringify(faults)).toContain('must be at most 200 characters long')
})

test('of two entries with a name the second says that the first is faulty', async () => {
  const { faults } = await accountsFolder(['ada']).read(`accounts:\n${ada}    concurrency: 0\n${ada}`)
  const told = faults.filter(({ message }) => /stands at \S+ too, which is faulty/.test(message))
  expect(told).toHaveLength(1)
})

test.each([
  ['brackets', '['.repeat(5000), /nested too deeply: it needs three levels$/],
  [
    'a long name',
    `${'x'.repeat(2000)}: 1`,
    /not YAML: the name of a setting is longer than 1,024 characters$/,
  ],
  [
    'a file that is none',
    Array.from({ length: 900 }, (_, at) => `x${at}: 1`).join('\n'),
    /and 8\d\d more like these$/,
  ],
])('a file as a whole is refused in a few words: %s', async (_, text, message) => {
  await expect(accountsFolder(['ada']).read(text)).rejects.toThrow(message)
})

test('an alias stands for the value that has its anchor', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  const { accounts, faults } = await folder.read(
    `accounts:\n${ada}    timezone: &zone Europe/Berlin\n    leave_out: &fields [responses.message]\n${bob}    timezone: *zone\n    leave_out: *fields\n`,
  )
  expect(faults).toEqual([])
  expect(accounts[1]).toMatchObject({
    worker: { timezone: 'Europe/Berlin' },
    run: { leaveOut: ['responses.message'] },
  })
})

test('an account may have its own key of the suppression list, or all the same', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  folder.write('own.key', 'a'.repeat(32))
  folder.write('all.key', 'b'.repeat(32))
  const { accounts } = await folder.read(
    `defaults: { person_key_file: all.key }\naccounts:\n${ada}    person_key_file: own.key\n${bob}`,
  )
  expect(accounts.map(({ personKey }) => personKey)).toEqual(['a'.repeat(32), 'b'.repeat(32)])
})

/** An entry that cannot be used, and what is said of it. */
const faultyEntries: readonly (readonly [what: string, entry: string, fault: RegExp])[] = [
  ['no name', '  - key_file: keys/bob.key\n', /^accounts\.yaml:4:5: name is not set: give the account one/],
  [
    'a name that is a number',
    '  - name: 007\n    key_file: keys/bob.key\n',
    /:4:5: name must be text: write it in quotes$/,
  ],
  ['an empty name', '  - name: " "\n    key_file: keys/bob.key\n', /:4:5: name must not be empty$/],
  [
    'no key file',
    '  - name: bob\n',
    /:4:5: account "bob": key_file is not set: name the file that holds the key/,
  ],
  [
    'a key file that is not there',
    '  - name: bob\n    key_file: keys/bbo.key\n',
    /:5:5: key_file: cannot read ".*keys\/bbo\.key" \(ENOENT\): check the path and the rights$/,
  ],
  [
    'a key in place of its file',
    '  - name: bob\n    key_file: canary-in-place\n',
    /:5:5: key_file: there is no file of this name \(ENOENT\), and it is not shown, .*: write the secret into a file of its own/,
  ],
  [
    'a key in Base64 with a slash in place of its file',
    '  - name: bob\n    key_file: canaryQ7xZ/3kLm+9vR/tB2nW8sYd=\n',
    /:5:5: key_file: there is no file of this name \(ENOENT\), and it is not shown/,
  ],
  [
    'a long key with a slash in place of its file',
    `  - name: bob\n    key_file: ${'canary'.repeat(50)}/x\n`,
    /:5:5: key_file: there is no file of this name \(ENAMETOOLONG\), and it is not shown/,
  ],
  [
    'a key of persons in place of its file',
    '  - { name: bob, key_file: keys/bob.key, person_key_file: canary.eyJhbGciOiJIUzI1NiIsInR5 }\n',
    /:4:\d+: person_key_file: there is no file of this name \(ENOENT\)/,
  ],
  ['a folder as the key file', '  - name: bob\n    key_file: keys\n', /:5:5: key_file: ".*keys" is no file$/],
  [
    'a key in the file',
    `${bob}    api_key: canary-in-file\n`,
    /:6:5: api_key must not stand in this file: write the key into a file of its own, and name that file with key_file$/,
  ],
  [
    'an unknown setting',
    `${bob}    max_stalenes: 3d\n`,
    /:6:5: "max_stalenes" is no setting of an account \(did you mean max_staleness\?\); there are name, key_file, /,
  ],
  ['a database', `${bob}    database: postgres://canary@db/x\n`, /:6:5: database is one for all accounts/],
  [
    'a merge key',
    `${bob}    <<: { timezone: UTC }\n`,
    /:6:5: << merges nothing in YAML 1\.2: put what all accounts share below defaults$/,
  ],
  [
    'a setting twice',
    `${bob}    hold_for: 1h\n    hold_for: 2h\n`,
    /:7:5: hold_for stands twice: keep one of them$/,
  ],
  [
    'a value that is none',
    `${bob}    max_staleness: soon\n`,
    /:6:5: max_staleness must be a duration like .* \(for example max_staleness: 7d\)$/,
  ],
  [
    'a number out of its range',
    `${bob}    concurrency: 999\n`,
    /:6:5: concurrency must be a whole number from 1 to 256/,
  ],
  [
    'a number in quotes',
    `${bob}    concurrency: "8"\n`,
    /:6:5: concurrency must be a whole number: write it without quotes$/,
  ],
  ['a yes that is none of JSON', `${bob}    allow_http: yes\n`, /:6:5: allow_http must be true or false$/],
  [
    'a setting without a value',
    `${bob}    timezone:\n`,
    /:6:5: timezone has no value: give it one, or remove the line$/,
  ],
  ['a mapping for a text', `${bob}    timezone: { a: 1 }\n`, /:6:5: timezone must be text$/],
  [
    'a comma in a list',
    `${bob}    leave_out: ["a,b"]\n`,
    /:6:5: leave_out must be a list of words, each without a comma$/,
  ],
  ['a schedule that is none', `${bob}    schedule: every hour\n`, /:6:5: schedule must be a cron schedule/],
  ['a zone that is none', `${bob}    timezone: Mars\n`, /:6:5: timezone must be a time zone/],
  [
    'plain http',
    `${bob}    base_url: http://events.example/api/v1\n`,
    /:6:5: base_url would send the key over plain http to another machine: use https:\/\/, or allow_http: true/,
  ],
  ['a text in place of an entry', '  - bob\n', /:4:5: must be a mapping of settings, like name: ada$/],
]

test.each(faultyEntries)(
  '%s is told with its place, and the other account goes on',
  async (_, entry, fault) => {
    const folder = accountsFolder(['ada', 'bob'])
    const { accounts, faults } = await folder.read(`accounts:\n${ada}${entry}`)
    expect(accounts.map(({ account }) => account)).toEqual(['ada'])
    expect(faults.map(({ message }) => withoutPath(message, folder.path))).toEqual([
      expect.stringMatching(fault),
    ])
    expect(JSON.stringify(faults)).not.toContain('canary')
  },
)

test('a key file that is empty, long or no key is told, and never shown', async () => {
  const folder = accountsFolder()
  folder.write('empty.key', ' \n')
  folder.write('long.key', 'canary '.repeat(20_000))
  folder.write('two.key', 'canary-one\ncanary-two\n')
  const entries = ['empty', 'long', 'two'].map((name) => `  - { name: ${name}, key_file: ${name}.key }\n`)
  const { accounts, faults } = await folder.read(`accounts:\n${entries.join('')}`)
  expect(accounts).toEqual([])
  expect(faults.map(({ message }) => message)).toEqual([
    expect.stringMatching(/:2:20: key_file: the file ".*empty\.key" is empty: write the key into it$/),
    expect.stringMatching(/:3:19: key_file: ".*long\.key" has 140000 bytes: that is no key$/),
    expect.stringMatching(/:4:18: key_file must be one line: there is a line break in it$/),
  ])
  expect(JSON.stringify(faults)).not.toContain('canary')
})

test('what a run would refuse of leave_out and pseudonymise is a fault of the entry', async () => {
  expect(await faultsOf(`accounts:\n${ada}    leave_out: [responses.mesage]\n${bob}`)).toEqual([
    expect.stringMatching(/^accounts\.yaml:4:5: leave_out: cannot leave out "responses\.mesage"/),
  ])
  expect(await faultsOf(`defaults: { pseudonymise: email }\naccounts:\n${ada}`)).toEqual([
    expect.stringMatching(/^accounts\.yaml:1:13: pseudonymise: .*name the file with person_key_file$/),
  ])
  expect(await faultsOf(`accounts:\n${ada}    leave_out: [responses.message]\n`)).toEqual([])
})

test('of two entries with one name, the first is used', async () => {
  expect(await faultsOf(`accounts:\n${ada}  - name: ada\n    key_file: keys/bob.key\n`)).toEqual([
    expect.stringMatching(
      /^accounts\.yaml:4:5: account "ada" stands at accounts\.yaml:2:5 too, which is used: give one of them another name/,
    ),
  ])
})

test('of two accounts with one key, the first is used, and the key is not shown', async () => {
  const folder = accountsFolder(['ada'])
  folder.write('copy.key', '\t canary-ada  ')
  const { accounts, faults } = await folder.read(`accounts:\n${ada}  - { name: eve, key_file: copy.key }\n`)
  expect(accounts.map(({ account }) => account)).toEqual(['ada'])
  expect(faults).toEqual([
    {
      name: 'eve',
      place: `${folder.file}:4:5`,
      message: expect.stringMatching(/account "eve" has the key of account "ada" \(.*:2:5\), which is used/),
    },
  ])
  expect(JSON.stringify(faults)).not.toContain('canary')
})

/** A file that as a whole cannot be used, and what is said of it. */
const faultyFiles: readonly (readonly [what: string, text: string | Uint8Array, fault: RegExp])[] = [
  ['an empty file', '', /^accounts\.yaml: must be a mapping with the list accounts, like\naccounts:/],
  ['an empty list', 'accounts: []\n', /^accounts\.yaml: has no accounts: list one or more/],
  ['no list', 'accounts: ada\n', /^accounts\.yaml: has no accounts/],
  [
    'an unknown key',
    'acounts: []\n',
    /^accounts\.yaml:1:1: "acounts" is not known here \(did you mean accounts\?\)/,
  ],
  ['a broken file', 'accounts: [canary-key, {\n', /^accounts\.yaml:\d+:\d+: not YAML: /],
  ['a broken text', 'accounts: "canary-key\n', /^accounts\.yaml:\d+:\d+: not YAML: /],
  [
    'a tag',
    'accounts: !canary []\n',
    /^accounts\.yaml:1:11: not YAML: a text that begins with ! needs quotes$/,
  ],
  [
    'two documents',
    `accounts:\n${ada}---\naccounts:\n${ada}`,
    /^accounts\.yaml:4:1: not YAML: a second document begins here: keep all accounts in one/,
  ],
  ['a tab', 'accounts:\n\t- name: canary\n', /^accounts\.yaml:2:1: not YAML: a tab indents this line/],
  [
    'a mapping of accounts',
    'accounts:\n  canary:\n    key_file: x\n',
    /^accounts\.yaml:2:3: accounts must be a list: begin each entry with "- name:"/,
  ],
  [
    'a name without a blank before it',
    `accounts:\n  - name:canary\n    key_file: x\n`,
    /^accounts\.yaml:2:5: not YAML: a setting needs a colon and a blank behind its name/,
  ],
  [
    'a text with a colon',
    'accounts:\n  - name: canary: x\n',
    /^accounts\.yaml:2:11: not YAML: a text that has a colon and a blank in it needs quotes$/,
  ],
  [
    'a schedule without quotes',
    `accounts:\n${ada}    schedule: */15 * * * *\n`,
    /^accounts\.yaml:4:\d+: not YAML: .*put a text that begins with \* into quotes/,
  ],
  [
    'a fault in defaults',
    `defaults: { concurency: 2 }\naccounts:\n${ada}`,
    /^accounts\.yaml:1:13: "concurency" is no setting of an account \(did you mean concurrency\?\)/,
  ],
  [
    'a bad value in defaults',
    `defaults: { hold_for: later }\naccounts:\n${ada}`,
    /^accounts\.yaml:1:13: defaults, hold_for must be a duration/,
  ],
  [
    'a text that is not UTF-8',
    Buffer.from('accounts:\n  - name: "\xE4"\n', 'latin1'),
    /^accounts\.yaml: must be UTF-8/,
  ],
  [
    'nested lists without end',
    '['.repeat(100_000),
    /^accounts\.yaml(?::\d+:\d+)?: (?:not YAML|is nested too deeply)/,
  ],
]

test.each(faultyFiles)('%s is refused as a whole, with the place', async (_, text, fault) => {
  const faults = await accountsFolder(['ada']).refusal(text)
  expect(faults[0]).toMatch(fault)
  expect(faults.join()).not.toContain('canary')
})

test('a text that begins with * and is no alias is told what it needs', async () => {
  const text = `accounts:\n${ada}    timezone: *\n`
  expect(await accountsFolder(['ada']).refusal(text.replace('*', '*nothing'))).toEqual([
    expect.stringMatching(/^accounts\.yaml:4:15: \* begins an alias in YAML, and nothing has this name: put/),
  ])
})

test('aliases of aliases do not multiply', async () => {
  const levels = Array.from({ length: 40 }, (_, at) => `  - &a${at + 1} [*a${at}, *a${at}]\n`)
  const text = `defaults:\n  timezone: &a0 UTC\naccounts:\n${levels.join('')}`
  const { accounts, faults } = await accountsFolder().read(text)
  expect(accounts).toEqual([])
  expect(faults).toHaveLength(40)
})

test('a file that is far too large, or no file, is refused before it is read', async () => {
  const folder = accountsFolder()
  expect(await folder.refusal(Buffer.alloc(16_000_001, '#'))).toEqual([
    expect.stringMatching(/^HEADCOUNT_ACCOUNTS_FILE: "accounts\.yaml" has 16000001 bytes|has 16000001 bytes/),
  ])
  const of = (path: string) => folder.refusal('', {}, { HEADCOUNT_ACCOUNTS_FILE: path })
  expect(await of(folder.path)).toEqual([
    expect.stringMatching(/is a folder: name a file in it, or set HEADCOUNT_KEYS_DIR/),
  ])
  expect(await of(`${folder.path}/none.yaml`)).toEqual([
    expect.stringMatching(
      /^HEADCOUNT_ACCOUNTS_FILE: cannot read "none\.yaml" \(ENOENT\)|cannot read .* \(ENOENT\): check the path/,
    ),
  ])
  const empty = ['HEADCOUNT_ACCOUNTS_FILE is empty: name a file or remove it']
  expect(await of('')).toEqual(empty)
  // As a compose file gives what nobody set: that is what is wrong, and not the key.
  expect(await folder.refusal('', {}, { HEADCOUNT_ACCOUNTS_FILE: '', HEADCOUNT_API_KEY: 'canary' })).toEqual(
    empty,
  )
})

test('one variable says where the keys are', async () => {
  const folder = accountsFolder(['ada'])
  const text = `accounts:\n${ada}`
  expect(await folder.refusal(text, {}, { HEADCOUNT_KEYS_DIR: folder.path })).toEqual([
    'HEADCOUNT_ACCOUNTS_FILE and HEADCOUNT_KEYS_DIR are both set: keep one of them',
  ])
  expect(await folder.refusal(text, {}, { HEADCOUNT_API_KEY: 'canary' })).toEqual([
    'HEADCOUNT_ACCOUNTS_FILE and HEADCOUNT_API_KEY are both set: the first one names the key of each account, so remove HEADCOUNT_API_KEY',
  ])
})

test('a faulty flag or variable is told once and not for each account', async () => {
  const folder = accountsFolder(['ada', 'bob'])
  expect(
    await folder.refusal(`accounts:\n${ada}${bob}`, { holdFor: 'x' }, { HEADCOUNT_CONCURRENCY: '0' }),
  ).toEqual([
    expect.stringMatching(/^HEADCOUNT_CONCURRENCY must be/),
    expect.stringMatching(/^--hold-for must be/),
  ])
})

test('an account without an address of the service is told where to write it', async () => {
  const folder = accountsFolder(['ada'])
  const { faults } = await folder.read(`accounts:\n${ada}`, {}, { HEADCOUNT_BASE_URL: undefined })
  expect(faults.map(({ message }) => withoutPath(message, folder.path))).toEqual([
    expect.stringMatching(
      /^accounts\.yaml:2:5: account "ada": base_url is not set: set it in the entry, below defaults, or by HEADCOUNT_BASE_URL/,
    ),
  ])
})

test('a folder of keys has an account for each file', async () => {
  const folder = accountsFolder(['bob', 'ada', 'choir.berlin'])
  folder.write('keys/.hidden', 'x')
  mkdirSync(`${folder.path}/keys/..data`)
  mkdirSync(`${folder.path}/keys/lost+found`)
  for (const file of [
    'ada.key.old',
    'ada.key~',
    'ada.key.bak',
    '.ada.key.swp',
    '#ada.key#',
    'bob.orig',
    'x.TMP',
    'ada.key.new',
    'ada.key.part',
    'ada.key.save',
    'ada.key.temp',
    'ada.key.rpmnew',
    'ada.key.dpkg-dist',
  ])
    folder.write(`keys/${file}`, 'canary-former')
  folder.write('keys/ada.key.2', 'canary-second')
  folder.write('keys/bob.txt', 'canary-other')
  const found = await readAccounts(
    {},
    { HEADCOUNT_BASE_URL: ACCOUNTS_URL, HEADCOUNT_KEYS_DIR: `${folder.path}/keys` },
  )
  expect(found?.accounts.map(({ account, service: { apiKey } }) => [account, apiKey])).toEqual([
    ['ada', 'canary-ada'],
    ['ada.key', 'canary-second'],
    ['bob', 'canary-bob'],
    ['choir.berlin', 'canary-choir.berlin'],
  ])
  expect(found?.faults.map(({ message }) => withoutPath(message, folder.path))).toEqual([
    expect.stringMatching(/^keys\/bob\.txt: account "bob" stands at keys\/bob\.key too/),
  ])
})

test('a folder without keys is refused, and so is a file', async () => {
  const folder = accountsFolder()
  await expect(
    readAccounts({}, { HEADCOUNT_KEYS_DIR: accountsFolder().write('one.key', 'x') }),
  ).rejects.toThrow(/is no folder: name the folder that it is in, or set HEADCOUNT_ACCOUNTS_FILE/)
  const empty = accountsFolder()
  const reading = readAccounts({}, { HEADCOUNT_KEYS_DIR: empty.path })
  await expect(reading).rejects.toThrow(ConfigurationError)
  await expect(reading).rejects.toThrow(/has no files: write the key of each account into a file/)
  writeFileSync(`${folder.path}/a.key`, '')
  symlinkSync('nowhere', `${folder.path}/b`)
  const { accounts, faults } = (await readAccounts({}, { HEADCOUNT_KEYS_DIR: folder.path })) ?? {
    accounts: [],
    faults: [],
  }
  expect(accounts).toEqual([])
  expect(faults.map(({ message }) => withoutPath(message, folder.path))).toEqual([
    expect.stringMatching(/^a\.key: account "a": base_url is not set/),
    expect.stringMatching(/^a\.key: key_file: the file ".*a\.key" is empty/),
    expect.stringMatching(/^b: account "b": base_url is not set/),
    expect.stringMatching(/^b: key_file: cannot read "b" \(ENOENT\): check the path and the rights$/),
  ])
})
