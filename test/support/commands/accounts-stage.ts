/** A service with the accounts of many organisers, a file that lists them, an empty mirror, and the command line between them. */
import { describe } from 'vitest'
import type { Account } from '../accounts/account.ts'
import { engines, freshPlace } from '../databases/databases.ts'
import { accountsFolder, type AccountsFolder } from '../files/accounts-folder.ts'
import { send, startFaultServer } from '../http/fault-server.ts'
import { commandLineWith, type CommandStage } from './command-stage.ts'

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
  await using opened = new AsyncDisposableStack()
  const service = opened.use(await startFaultServer())
  for (const [name, account] of Object.entries(accounts)) account.keys = [keyOf(name)]
  service.always(
    send((request) => {
      const known = Object.values(accounts).find(({ keys }) =>
        keys.includes(request.headers['x-api-key'] ?? ''),
      )
      return known?.answer(request) ?? { status: 401, body: { error: 'no such key' } }
    }),
  )
  const place = opened.use(await freshPlace(engine))
  const folder = accountsFolder(Object.keys(accounts))
  const env = {
    HEADCOUNT_ACCOUNTS_FILE: folder.file,
    HEADCOUNT_BASE_URL: service.baseUrl.href,
    DATABASE_URL: place.url,
  }
  const list: AccountsStage['list'] = (names, more = '') => {
    const entries = names.map((name) => `  - name: ${name}\n    key_file: keys/${name}.key\n`)
    folder.write('accounts.yaml', `accounts:\n${entries.join('')}${more}`)
  }
  list(Object.keys(accounts))
  const resources = opened.move()
  return {
    service,
    place,
    folder,
    env,
    list,
    ...commandLineWith(env),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
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
