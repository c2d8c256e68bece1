import { mkdir, rename, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { AccountName, Accounts } from '../account/accounts.ts'
import type { Served, Site, Wanted } from '../account/body-files.ts'
import type { Version } from '../account/versions.ts'
import { runProcess } from '../measured/process.ts'
import { startNginx } from './nginx.ts'
import { startOwnServer } from './own-server.ts'
import type { Way } from './response-modes.ts'

/** A server over the folder of the sites. */
export interface WebServer extends AsyncDisposable {
  readonly origin: string
  /** How many requests it was asked until now, this question left out. */
  requests(): Promise<number>
}

/** The accounts, served on loopback by other processes until it is disposed of. */
export interface Service extends AsyncDisposable {
  /** Who answers, but for what is slow on purpose. */
  readonly server: 'nginx' | 'the own server of the bench'
  /** The base address of an account. */
  baseOf(account: AccountName, way: Way): string
  /** Chooses the version of an account that is answered from now on. */
  show(account: AccountName, version: Version): Promise<Served>
  /** How many requests were made until now, but for those to what is slow on purpose. */
  requests(): Promise<number>
}

/** Which versions of which accounts are needed; the making of each takes its time. */
export type Needed = ReadonlyMap<AccountName, readonly Version[]>

/** Makes the accounts and serves them. */
export async function startService(folder: string, accounts: Accounts, needed: Needed): Promise<Service> {
  const folderOfSites = join(folder, 'sites')
  await mkdir(folderOfSites)
  const sites = await makeSites(folderOfSites, accounts, needed)
  await using started = new AsyncDisposableStack()
  const nginx = await startNginx(folderOfSites, join(folder, 'nginx'))
  const own = started.use(await startOwnServer(folderOfSites))
  if (nginx) started.use(nginx)
  const servers = started.move()
  return {
    server: nginx ? 'nginx' : 'the own server of the bench',
    baseOf: (account, way) => `${(way === 'slow' ? own : (nginx ?? own)).origin}/${way}/${account}/api/v1`,
    show: async (account, version) => {
      const served = sites.get(account)?.[version]
      if (served === undefined) throw new Error(`No version ${version} of the account ${account} was made.`)
      const link = join(folderOfSites, account, 'next')
      await symlink(version, link)
      await rename(link, join(folderOfSites, account, 'shown'))
      return served
    },
    requests: () => (nginx ?? own).requests(),
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  }
}

async function makeSites(
  folder: string,
  accounts: Accounts,
  needed: Needed,
): Promise<ReadonlyMap<AccountName, Site>> {
  const wanted = [...needed].map(([account, versions]): Wanted => ({
    folder: join(folder, account),
    shape: accounts[account],
    versions,
  }))
  const script = join(import.meta.dirname, '../account/body-files.ts')
  const { stdout } = await runProcess([script, JSON.stringify(wanted)])
  const made = JSON.parse(stdout) as readonly Site[]
  return new Map([...needed.keys()].map((account, place) => [account, made[place] ?? {}]))
}
