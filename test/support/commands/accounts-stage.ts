/** A service with the accounts of many organisers, a file that lists them, an empty mirror, and the command line between them. */
import { describe } from 'vitest'
import type { Account } from '../accounts/account.ts'
import { engines } from '../databases/databases.ts'
import { accountsFolder, type AccountsFolder } from '../files/accounts-folder.ts'
import type { Answer, SeenRequest } from '../http/fault-server.ts'
import { stageOf, type CommandStage } from './command-stage.ts'

export interface AccountsStage extends CommandStage {
  readonly folder: AccountsFolder
  /** Writes the accounts file: each name is an entry with its key file; `more` comes behind it as it is. */
  list(names: readonly string[], more?: string): void
}

/** The key of an account, as {@link accountsFolder} writes it. */
export const keyOf = (name: string) => `canary-${name}`

/** @param accounts by their names; the service knows each by its key */
export async function accountsStage(
  engine: (typeof engines)[number],
  accounts: Readonly<Record<string, Account>>,
): Promise<AccountsStage> {
  for (const [name, account] of Object.entries(accounts)) account.keys = [keyOf(name)]
  const answering = (request: SeenRequest): Answer => {
    const known = Object.values(accounts).find(({ keys }) =>
      keys.includes(request.headers['x-api-key'] ?? ''),
    )
    return known?.answer(request) ?? { status: 401, body: { error: 'no such key' } }
  }
  const folder = accountsFolder(Object.keys(accounts))
  const stage = await stageOf(engine, answering, { HEADCOUNT_ACCOUNTS_FILE: folder.file })
  const list: AccountsStage['list'] = (names, more = '') => {
    const entries = names.map((name) => `  - name: ${name}\n    key_file: keys/${name}.key\n`)
    folder.write('accounts.yaml', `accounts:\n${entries.join('')}${more}`)
  }
  list(Object.keys(accounts))
  return { ...stage, folder, list }
}

type Stage = (accounts: Readonly<Record<string, Account>>) => Promise<AccountsStage>

/** The same tests on both engines. */
export function onBothAccountsStages(name: string, tests: (stage: Stage) => void): void {
  describe.each(engines)(`${name} (%s)`, (engine) => tests((accounts) => accountsStage(engine, accounts)))
}

/** On Postgres only: what the engine cannot make different. */
export function onPostgresAccountsStage(name: string, tests: (stage: Stage) => void): void {
  describe(name, () => tests((accounts) => accountsStage('postgres', accounts)))
}
