import { ConfigurationError } from '../common/errors.ts'
import { readSecret, type Environment } from './secrets.ts'
import type { Setting, SettingWithFallback } from './settings.ts'
import { InvalidValueError } from '../common/parse-values.ts'

/** An option of the command line: its text, `true` when it takes none, undefined when it was not given. */
export type Flag = string | number | boolean | readonly string[] | undefined

/** Reads settings one by one and keeps every fault until the end. */
export interface SettingsReader {
  /** The faults so far, each naming its variable or flag. */
  readonly faults: string[]
  /** The flag's value, else the variable's, else the fallback; a faulty text gives the fallback too. */
  take<Value>(setting: SettingWithFallback<Value>, flag?: Flag): Promise<Value>
  /** The flag's value, else the variable's; null when there is none or it is faulty. */
  take<Value>(setting: Setting<Value>, flag?: Flag): Promise<Value | null>
  /** As `take`, and a fault with this remedy when nobody gave a value. */
  demand<Value>(setting: Setting<Value>, flag: Flag, remedy: string): Promise<Value | null>
  /** A secret from its variable or its file, checked; null when there is none or it is faulty. */
  secret<Value>(variable: string, check: (text: string) => Value, remedy?: string): Value | null
  /** @throws ConfigurationError when there was any fault */
  finish(): void
}

export function createSettingsReader(environment: Environment): SettingsReader {
  const faults: string[] = []

  async function take<Value>(setting: SettingWithFallback<Value>, flag?: Flag): Promise<Value>
  async function take<Value>(setting: Setting<Value>, flag?: Flag): Promise<Value | null>
  async function take<Value>(setting: Setting<Value>, flag?: Flag): Promise<Value | null> {
    const given = givenText(setting, flag, environment)
    const fallback = async () =>
      setting.fallbackValue ?? (setting.fallback === undefined ? null : setting.read(setting.fallback))
    if (given === null) return fallback()
    try {
      return await setting.read(given.text)
    } catch (error) {
      if (!(error instanceof InvalidValueError)) throw error
      const separator = given.source.startsWith('--') ? ' ' : '='
      faults.push(
        `${given.source} ${error.message} (for example ${given.source}${separator}${setting.example})`,
      )
      return fallback()
    }
  }

  return {
    faults,
    take,

    async demand(setting, flag, remedy) {
      if (givenText(setting, flag, environment) !== null) return take(setting, flag)
      faults.push(`${setting.variable} is not set: ${remedy}`)
      return null
    },

    secret(variable, check, remedy) {
      try {
        const secret = readSecret(environment, variable)
        if (secret === null && remedy !== undefined) faults.push(`${variable} is not set: ${remedy}`)
        return secret === null ? null : checkNamed(variable, secret, check)
      } catch (error) {
        if (!(error instanceof InvalidValueError)) throw error
        faults.push(error.message)
        return null
      }
    },

    finish() {
      if (faults.length > 0) throw new ConfigurationError(faults)
    },
  }
}

interface GivenText {
  /** The flag or the variable, for messages. */
  readonly source: string
  readonly text: string
}

function givenText(setting: Setting<unknown>, flag: Flag, environment: Environment): GivenText | null {
  if (setting.flag !== undefined && flag !== undefined) return { source: setting.flag, text: flagText(flag) }
  const text = environment[setting.variable]
  if (text === undefined || (text === '' && !setting.mustNotBeEmpty)) return null
  return { source: setting.variable, text }
}

/** A flag without a value arrives as `true`. */
function flagText(flag: Flag): string {
  return flag === true ? '1' : String(flag)
}

function checkNamed<Value>(variable: string, secret: string, check: (text: string) => Value): Value {
  try {
    return check(secret)
  } catch (error) {
    throw error instanceof InvalidValueError ? new InvalidValueError(`${variable} ${error.message}`) : error
  }
}
