/** One entry of an accounts file, or one file of a folder of keys, becomes the settings of an account. */
import { resolve } from 'node:path'
import { InvalidValueError, name } from '../../common/parse-values.ts'
import type { Config, Flags, ServiceConfig } from '../config.ts'
import { fieldRules } from '../../normalise/items/field-rules.ts'
import { readRun, readWorker, type RunConfig } from '../read-run.ts'
import { readService } from '../read-service.ts'
import { createSettingsReader, type FileSettings, type GivenText } from '../reading.ts'
import { personKey, trimmedApiKey, type Environment } from '../secrets.ts'
import { fileKeyOf, settings, type Setting } from '../settings.ts'
import type { FileMapping } from './mapping.ts'
import { readSecretFile } from './secret-file.ts'

/** The settings of one account of many. */
export interface AccountConfig extends ServiceConfig {
  readonly account: string
  /** Where it stands. */
  readonly entry: AccountEntry
}

export interface AccountEntry {
  /** File, line and column; of a folder of keys the key file. */
  readonly place: string
  readonly keyFile: string
  /** What the entry itself sets, by the names of an accounts file. */
  readonly keys: readonly string[]
}

/** Something that keeps an entry from being used. The other entries go on. */
export interface AccountFault {
  /** null: the entry has none that can be used. */
  readonly name: string | null
  /** Of the entry: file, line and column. */
  readonly place: string
  /** What is wrong, beginning with the place, and what to do. */
  readonly message: string
}

export interface FaultyEntry extends Pick<AccountFault, 'name' | 'place'> {
  readonly messages: readonly [string, ...string[]]
}

/** Each entry that cannot be used, with all that is wrong with it. */
export function faultyEntries(faults: readonly AccountFault[]): readonly FaultyEntry[] {
  const entries = new Map<string, FaultyEntry>()
  for (const { name, place, message } of faults) {
    const key = JSON.stringify([place, name])
    const messages = [...(entries.get(key)?.messages ?? []), message] as [string, ...string[]]
    entries.set(key, { name, place, messages })
  }
  return [...entries.values()]
}

/** What the entries of a file have in common. */
export interface EntryContext {
  /** Paths are relative to it. */
  readonly folder: string
  readonly flags: Flags
  readonly environment: Environment
  /** What the file says of all accounts. */
  readonly defaults: FileMapping | null
  /** Of all accounts, where the file names one. */
  readonly personKey: string | null
  /** The settings that no entry changes. */
  readonly base: Config
}

/** An entry as it was read: its settings, or what is wrong with it. */
export type ReadEntry =
  | { readonly config: AccountConfig }
  | { readonly name: string | null; readonly place: string; readonly faults: readonly string[] }

export async function readEntry(entry: FileMapping, context: EntryContext): Promise<ReadEntry> {
  const { place } = entry
  const { base, flags, environment } = context
  const nameFaults: string[] = []
  const account = await readValue(entry, 'name', nameFaults, name)
  if (!entry.names.has('name'))
    nameFaults.push(`${place}: name is not set: give the account one, like name: ada`)
  const label = account === null ? place : `${place}: account ${JSON.stringify(account)}`
  const reading = createSettingsReader(environment, flags, fileSettings(entry, context.defaults, label))
  reading.faults.push(...nameFaults, ...entry.faults)
  const keyPath = entry.values.get('key_file')?.text ?? null
  const keyFile = keyPath === null ? '' : resolve(context.folder, keyPath)
  const service = await readService(reading, {
    readKey: () => {
      if (!entry.names.has('key_file'))
        reading.faults.push(
          `${label}: key_file is not set: name the file that holds the key, like key_file: keys/ada.key`,
        )
      return readValue(entry, 'key_file', reading.faults, (given) => readKeyFile(given, context.folder))
    },
    apiKeyFrom: `${keyPath} (${place})`,
    baseUrlRemedy: `set it in the entry, below defaults, or by HEADCOUNT_BASE_URL, like ${settings.baseUrl.example}`,
    allowHttp: 'allow_http: true',
  })
  const run = await readRun(reading)
  const worker = await readWorker(reading)
  const ownPersonKey = await readPersonKey(entry, context.folder, reading.faults)
  const key = ownPersonKey ?? context.personKey ?? base.personKey
  if (reading.faults.length === 0) reading.faults.push(...fieldFaults(run, key, entry, context.defaults))
  if (reading.faults.length > 0 || account === null || service === null)
    return { name: account, place, faults: reading.faults }
  return {
    config: Object.freeze({
      ...base,
      account,
      // Whoever lists an account wants it mirrored.
      newAccount: 'for_new_key',
      personKey: key,
      service,
      run,
      worker,
      entry: { place, keyFile, keys: [...entry.values.keys()] },
    }),
  }
}

/** @throws InvalidValueError */
async function readKeyFile(given: string, folder: string): Promise<string> {
  return trimmedApiKey(await readSecretFile(given, folder))
}

/** The key of an account as its file has it now; null when it cannot be used. */
export async function keyInFile({ keyFile }: AccountEntry): Promise<string | null> {
  try {
    return await readKeyFile(keyFile, '')
  } catch (error) {
    if (error instanceof InvalidValueError) return null
    throw error
  }
}

/** What a run would refuse of `leave_out` and `pseudonymise`. */
function fieldFaults(
  { leaveOut, pseudonymise }: RunConfig,
  key: string | null,
  { values, place }: FileMapping,
  defaults: FileMapping | null,
): readonly string[] {
  const named = (setting: string) => {
    const given = values.get(setting) ?? defaults?.values.get(setting)
    return `${given?.place ?? place}: ${setting}`
  }
  // guard: fields of an entry
  if (pseudonymise.length > 0 && key === null)
    return [
      `${named('pseudonymise')}: pseudonyms are made with a key: make one with (umask 077; openssl rand -hex 32 > person.key), and name the file with person_key_file`,
    ]
  try {
    fieldRules(leaveOut, pseudonymise, null)
    return []
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    return [`${named(leaveOut.length > 0 ? 'leave_out' : 'pseudonymise')}: ${error.message}`]
  }
}

/** How the settings reader finds what the file says. */
export function fileSettings(own: FileMapping, defaults: FileMapping | null, label: string): FileSettings {
  const found = (mapping: FileMapping | null, setting: Setting<unknown>, whose: string): GivenText | null => {
    const key = fileKeyOf(setting)
    const value = mapping?.values.get(key)
    if (value === undefined) return null
    const isBoolean = setting.read.form?.type === 'boolean'
    return {
      source: `${value.place}: ${whose}${key}`,
      text: value.text,
      write: (example) => `${key}: ${isBoolean ? 'true' : example}`,
    }
  }
  return {
    own: (setting) => found(own, setting, ''),
    shared: (setting) => found(defaults, setting, 'defaults, '),
    nameOf: (setting) => `${label}: ${fileKeyOf(setting)}`,
  }
}

/** Null when the mapping names none, or a faulty one. */
export function readPersonKey(
  mapping: FileMapping,
  folder: string,
  faults: string[],
): Promise<string | null> {
  return readValue(mapping, 'person_key_file', faults, async (path) =>
    personKey(await readSecretFile(path, folder)),
  )
}

/** What a mapping says by this name; null when it says nothing, or something faulty. */
async function readValue(
  { values }: FileMapping,
  key: string,
  faults: string[],
  read: (text: string) => string | Promise<string>,
): Promise<string | null> {
  const given = values.get(key)
  if (given === undefined) return null
  try {
    return await read(given.text)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    faults.push(`${given.place}: ${key}${error.message.startsWith(':') ? '' : ' '}${error.message}`)
    return null
  }
}
