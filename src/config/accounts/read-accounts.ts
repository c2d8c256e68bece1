/** The accounts of an accounts file, or of a folder with one key file an account. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, parse, resolve } from 'node:path'
import { cannotRead } from '../../common/text/cannot-read.ts'
import pLimit from 'p-limit'
import { ConfigurationError } from '../../common/errors.ts'
import { readConfig, type Flags } from '../config.ts'
import { createSettingsReader } from '../reading.ts'
import { ownEnvironment, type Environment } from '../secrets.ts'
import { accountSettings, settings } from '../settings.ts'
import { withoutServiceLinks } from '../variable-names.ts'
import {
  fileSettings,
  readEntry,
  readPersonKey,
  type AccountConfig,
  type AccountFault,
  type EntryContext,
} from './account-config.ts'
import type { FileMapping } from './mapping.ts'
import type { AccountsFile } from './parse-accounts-file.ts'
import { uniqueAccounts } from './unique-accounts.ts'

export interface Accounts {
  /** The file or folder, for messages and for watching. */
  readonly from: string
  /** In the file's order. Each has every setting: what the entry says wins over flags, and these over `defaults` and the environment. */
  readonly accounts: readonly AccountConfig[]
  /** The bound on concurrent requests to one host, over all accounts: the concurrency that a flag, `defaults` or the environment gives, never an entry. */
  readonly requestsPerHost: number
  /** What keeps entries from being used. The others go on. */
  readonly faults: readonly AccountFault[]
  /** Everything that was read: the accounts change when one of these does. */
  readonly files: readonly string[]
}

/** An accounts file of 16 MB has some 100,000 entries. */
const MAX_FILE_BYTES = 16e6
/** How many files of accounts are read or looked at at once. */
export const FILES_AT_ONCE = 32
/**
 * What begins with a dot is hidden, and so are the folders in which Kubernetes keeps secrets; the others are those of editors, of packages and of
 * whoever writes a file beside the one that it will replace: its key would become one of a second account, and the first be refused as a copy of that.
 */
const isLeftOver =
  /^[.#]|^lost\+found$|~$|\.(?:bak|old|orig|save|sw[opx]|te?mp|new|part|rpm(?:new|save|orig)|dpkg-\w+)$/i

/**
 * The accounts of HEADCOUNT_ACCOUNTS_FILE or HEADCOUNT_KEYS_DIR; null when neither is set.
 *
 * @throws ConfigurationError when a flag, a variable, `defaults` or the file as a whole is faulty
 */
export async function readAccounts(
  flags: Flags,
  environment: Environment = ownEnvironment,
): Promise<Accounts | null> {
  const own = withoutServiceLinks(environment)
  const source = sourceOf(own)
  if (source === null) return null
  const base = await readConfig(flags, environment)
  const found = source.isFolder ? await readKeysDir(source.path) : await readFileOf(source.path)
  const folder = source.isFolder ? source.path : dirname(source.path)
  const shared = { folder, flags, environment: own, defaults: found.defaults, base }
  const { personKey, requestsPerHost } = await readShared(found.defaults, shared)
  const context: EntryContext = { ...shared, personKey }
  const limit = pLimit(FILES_AT_ONCE)
  const entries = await limit.map(found.entries, (entry) => readEntry(entry, context))
  const personKeyFile = own['HEADCOUNT_PERSON_KEY_FILE']
  const files = [
    source.path,
    ...filesOf(found, folder),
    ...(personKeyFile === undefined ? [] : [personKeyFile]),
  ]
  return { from: source.path, ...uniqueAccounts(entries), requestsPerHost, files }
}

interface Source {
  readonly path: string
  readonly isFolder: boolean
}

/** @throws ConfigurationError when two variables say where keys are */
function sourceOf(environment: Environment): Source | null {
  const [file, folder] = [settings.accountsFile.variable, settings.keysDir.variable]
  const isSet = (name: string) => environment[name] !== undefined
  if (!isSet(file) && !isSet(folder)) return null
  const chosen = isSet(file) ? file : folder
  if (isSet(file) && isSet(folder))
    throw new ConfigurationError([`${file} and ${folder} are both set: keep one of them`])
  const path = environment[chosen] ?? ''
  if (path.trim() === '')
    throw new ConfigurationError([
      `${chosen} is empty: name a ${chosen === file ? 'file' : 'folder'} or remove it`,
    ])
  // guard: one place for keys
  for (const key of ['HEADCOUNT_API_KEY', 'HEADCOUNT_API_KEY_FILE'])
    if (isSet(key))
      throw new ConfigurationError([
        `${chosen} and ${key} are both set: the first one names the key of each account, so remove ${key}`,
      ])
  return { path, isFolder: chosen === folder }
}

async function readFileOf(path: string): Promise<AccountsFile> {
  const text = await named(settings.accountsFile.variable, path, async () => {
    const found = await stat(path)
    if (found.isDirectory())
      return `is a folder: name a file in it, or set ${settings.keysDir.variable} to a folder of key files`
    if (!found.isFile()) return 'is no ordinary file: it is read more than once'
    if (found.size > MAX_FILE_BYTES)
      return `has ${found.size} bytes, more than ${MAX_FILE_BYTES}: that is no list of accounts`
    return readFile(path)
  })
  const { parseAccountsFile } = await import('./parse-accounts-file.ts')
  return parseAccountsFile(strictUtf8(text, path), path)
}

function strictUtf8(bytes: Uint8Array, path: string): string {
  try {
    // A byte order mark is dropped.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ConfigurationError([`${path}: must be UTF-8: save it in this encoding`])
  }
}

/** Each file is the key of one account, and its name without the extension the name of the account. */
async function readKeysDir(path: string): Promise<AccountsFile> {
  const files = await named(settings.keysDir.variable, path, async () => {
    if (!(await stat(path)).isDirectory())
      return `is no folder: name the folder that it is in, or set ${settings.accountsFile.variable} to a file that lists accounts`
    const found = await readdir(path)
    const names = found.filter((file) => !isLeftOver.test(file)).sort()
    return names.length > 0
      ? names
      : 'has no files: write the key of each account into a file that is named after it'
  })
  const entries = files.map((file): FileMapping => {
    const place = join(path, file)
    const values = new Map([
      ['name', { text: parse(file).name, place }],
      // A file by its folder: whoever removes it meanwhile has pasted no key.
      ['key_file', { text: `./${file}`, place }],
    ])
    return { place, values, names: new Set(values.keys()), faults: [] }
  })
  return { defaults: null, entries }
}

/** @param read gives a text where the path cannot be used: what is wrong with it. @throws ConfigurationError */
async function named<T extends object>(
  variable: string,
  path: string,
  read: () => Promise<T | string>,
): Promise<T> {
  const found = await read().catch((error: unknown) => {
    throw new ConfigurationError([`${variable}: ${cannotRead(path, error)}: check the path and the rights`])
  })
  if (typeof found === 'string')
    throw new ConfigurationError([`${variable}: ${JSON.stringify(path)} ${found}`])
  return found
}

/**
 * What all accounts share: the key of the suppression list, and the bound on requests. A fault in it would be one of each of them.
 *
 * @throws ConfigurationError
 */
async function readShared(
  defaults: FileMapping | null,
  { environment, folder, flags, base }: Omit<EntryContext, 'personKey'>,
): Promise<{ readonly personKey: string | null; readonly requestsPerHost: number }> {
  if (defaults === null) return { personKey: null, requestsPerHost: base.run.concurrency }
  const file = fileSettings({ ...defaults, values: new Map() }, defaults, defaults.place)
  const reading = createSettingsReader(environment, {}, file)
  for (const setting of accountSettings.values()) await reading.take(setting)
  const personKey = await readPersonKey(defaults, folder, reading.faults)
  reading.finish()
  const withFlags = createSettingsReader(environment, flags, file)
  return { personKey, requestsPerHost: await withFlags.take(settings.concurrency) }
}

function filesOf({ defaults, entries }: AccountsFile, folder: string): ReadonlySet<string> {
  const mappings = defaults === null ? entries : [defaults, ...entries]
  const named = mappings.flatMap(({ values }) =>
    ['key_file', 'person_key_file'].flatMap((key) => values.get(key)?.text ?? []),
  )
  return new Set(named.map((file) => resolve(folder, file)))
}
