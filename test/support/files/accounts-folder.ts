import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { readAccounts, type Accounts } from '../../../src/config/accounts/read-accounts.ts'
import type { Flags } from '../../../src/config/config.ts'
import { ConfigurationError } from '../../../src/common/errors.ts'
import type { Environment } from '../../../src/config/secrets.ts'

/** A folder of a test with an accounts file and key files. */
export interface AccountsFolder {
  readonly path: string
  readonly file: string
  write(name: string, text: string | Uint8Array): string
  /** Writes the accounts file and reads it. */
  read(text: string | Uint8Array, flags?: Flags, environment?: Environment): Promise<Accounts>
  /** The faults of a file that as a whole cannot be used, without the path in front. */
  refusal(text: string | Uint8Array, flags?: Flags, environment?: Environment): Promise<readonly string[]>
}

export const ACCOUNTS_URL = 'https://events.example/api/v1'

/** @param names of accounts that have a key file, `keys/<name>.key` */
export function accountsFolder(names: readonly string[] = []): AccountsFolder {
  const path = mkdtempSync(join(tmpdir(), 'headcount-accounts-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const file = join(path, 'accounts.yaml')
  const write = (name: string, text: string | Uint8Array) => {
    const target = join(path, name)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    return target
  }
  for (const name of names) write(`keys/${name}.key`, `canary-${name}\n`)
  const read: AccountsFolder['read'] = async (text, flags = {}, environment = {}) => {
    write('accounts.yaml', text)
    const found = await readAccounts(flags, {
      HEADCOUNT_BASE_URL: ACCOUNTS_URL,
      HEADCOUNT_ACCOUNTS_FILE: file,
      ...environment,
    })
    if (found === null) throw new Error('no accounts were read')
    return found
  }
  return {
    path,
    file,
    write,
    read,
    refusal: async (...given) => {
      try {
        await read(...given)
      } catch (error) {
        if (error instanceof ConfigurationError) return error.faults.map((fault) => withoutPath(fault, path))
        throw error
      }
      return []
    },
  }
}

/** The text as it would be with the folder as the present one. */
export function withoutPath(text: string, path: string): string {
  return text.replaceAll(`${path}/`, '')
}
