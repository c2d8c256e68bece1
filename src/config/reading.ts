import { statSync } from 'node:fs'
import { ConfigurationError } from '../common/errors.ts'
import { readProxy } from './read-proxy.ts'
import { readSecret, type Environment } from './secrets.ts'
import type { Setting, SettingWithFallback } from './settings.ts'
import { InvalidValueError } from '../common/parse-values.ts'

/** An option of the command line: its text, `true` when it takes none, undefined when it was not given. */
type Flag = string | number | boolean | readonly string[] | undefined

/** Options of the command line by commander's names (`--base-url` is `baseUrl`). */
export type Flags = Readonly<Record<string, Flag>>

/** The text of a setting, and where it stands. */
export interface GivenText {
  /** The flag, the variable, or the line of a file with its key: messages begin with it. */
  readonly source: string
  readonly text: string
  /** The setting with this value, as it is written there. */
  readonly write: (value: string) => string
}

/** What a file says of one account, and of all. */
export interface FileSettings {
  /** Of this account: it wins over flags. */
  readonly own: (setting: Setting<unknown>) => GivenText | null
  /** Of every account of the file: a flag wins over it, and it over the environment. */
  readonly shared: (setting: Setting<unknown>) => GivenText | null
  /** What a setting that nobody gave is called. */
  readonly nameOf: (setting: Setting<unknown>) => string
}

/** Reads settings one by one and keeps every fault until the end. */
export interface SettingsReader {
  /** The faults so far, each naming its variable or flag. */
  readonly faults: string[]
  /** The flag's value, else the variable's, else the fallback; a faulty text gives the fallback too. */
  take<Value>(setting: SettingWithFallback<Value>): Promise<Value>
  /** The flag's value, else the variable's; null when there is none or it is faulty. */
  take<Value>(setting: Setting<Value>): Promise<Value | null>
  /** As `take`, and a fault with this remedy when nobody gave a value. */
  demand<Value>(setting: Setting<Value>, remedy: string): Promise<Value | null>
  /** What messages call the setting: by where its value stands. */
  nameOf(setting: Setting<unknown>): string
  /** A secret from its variable or its file, checked; null when there is none or it is faulty. */
  secret<Value>(variable: string, check: (text: string) => Value, remedy?: string): Value | null
  /** What reads the file of a secret anew, which was read before; null when it comes from no regular file. It throws InvalidValueError. */
  rereadSecret<Value>(variable: string, check: (text: string) => Value): (() => Value) | null
  /** The HTTP proxy that leads to an address by the environment; null: none does, or its own address is faulty. */
  readonly proxyFor: (url: URL) => URL | null
  /** @throws ConfigurationError when there was any fault */
  finish(): void
}

/** @param file of the account whose settings are read, where it has one */
export function createSettingsReader(
  environment: Environment,
  flags: Flags,
  file?: FileSettings,
): SettingsReader {
  const faults: string[] = []
  const given = (setting: Setting<unknown>) => givenText(setting, { environment, flags, file })
  const nameOf = (setting: Setting<unknown>) =>
    given(setting)?.source ?? file?.nameOf(setting) ?? setting.variable

  async function take<Value>(setting: SettingWithFallback<Value>): Promise<Value>
  async function take<Value>(setting: Setting<Value>): Promise<Value | null>
  async function take<Value>(setting: Setting<Value>): Promise<Value | null> {
    const found = given(setting)
    const fallback = async () =>
      setting.fallbackValue ?? (setting.fallback === undefined ? null : setting.read(setting.fallback))
    if (found === null) return fallback()
    try {
      return await setting.read(found.text)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      faults.push(`${found.source} ${error.message} (for example ${found.write(setting.example)})`)
      return fallback()
    }
  }

  return {
    faults,
    take,
    nameOf,

    async demand(setting, remedy) {
      if (given(setting) !== null) return take(setting)
      faults.push(`${nameOf(setting)} is not set: ${remedy}`)
      return null
    },

    secret(variable, check, remedy) {
      try {
        const secret = readSecret(environment, variable)
        if (secret === null && remedy !== undefined) faults.push(`${variable} is not set: ${remedy}`)
        return secret === null ? null : checkNamed(variable, secret, check)
      } catch (error) {
        return noteInvalid(faults, error)
      }
    },

    rereadSecret(variable, check) {
      const path = environment[`${variable}_FILE`]
      // A pipe, as the shell's <(…) makes one, is read once: a second read finds nothing, or waits for ever.
      if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null
      return () => checkNamed(variable, readSecret(environment, variable) ?? '', check)
    },

    proxyFor: (url) => proxyFor(url, environment, faults),

    finish() {
      if (faults.length > 0) throw new ConfigurationError(faults)
    },
  }
}

interface Sources {
  readonly environment: Environment
  readonly flags: Flags
  readonly file: FileSettings | undefined
}

/** What stands for one account is more exact than what stands for all. */
function givenText(setting: Setting<unknown>, { environment, flags, file }: Sources): GivenText | null {
  const own = file?.own(setting) ?? null
  if (own !== null) return own
  const flag = setting.flag && flags[flagKey(setting.flag)]
  // A flag without a value arrives as `true`.
  if (setting.flag !== undefined && flag !== undefined)
    return written(setting.flag, flag === true ? '1' : String(flag), ' ')
  const shared = file?.shared(setting) ?? null
  if (shared !== null) return shared
  const text = environment[setting.variable]
  if (text === undefined || (text === '' && !setting.mustNotBeEmpty)) return null
  return written(setting.variable, text, '=')
}

function written(source: string, text: string, separator: ' ' | '='): GivenText {
  return { source, text, write: (value) => `${source}${separator}${value}` }
}

function flagKey(flag: string): string {
  return flag.slice('--'.length).replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

function checkNamed<Value>(variable: string, secret: string, check: (text: string) => Value): Value {
  try {
    return check(secret)
  } catch (error) {
    throw error instanceof InvalidValueError ? new InvalidValueError(`${variable} ${error.message}`) : error
  }
}

function proxyFor(url: URL, environment: Environment, faults: string[]): URL | null {
  try {
    return readProxy(url, environment)
  } catch (error) {
    return noteInvalid(faults, error)
  }
}

/** Once, for one variable may be the fault of many addresses. @throws any other error */
function noteInvalid(faults: string[], error: unknown): null {
  if (!(error instanceof InvalidValueError)) throw error
  if (!faults.includes(error.message)) faults.push(error.message)
  return null
}
