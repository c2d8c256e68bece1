import type { AccountConfig, AccountFault, ReadEntry } from './account-config.ts'

/**
 * Keeps the first of several entries with one name, or with one key: a second name for a key would store everything twice,
 * and a key that went to a second address would be shown to somebody else. Keys are compared and never shown.
 */
export function uniqueAccounts(entries: readonly ReadEntry[]): {
  readonly accounts: readonly AccountConfig[]
  readonly faults: readonly AccountFault[]
} {
  const accounts: AccountConfig[] = []
  const faults: AccountFault[] = []
  const firstOfName = new Map<string, { readonly place: string; readonly isUsable: boolean }>()
  const ownerOfKey = new Map<string, AccountConfig>()
  for (const read of entries) {
    const [name, place] =
      'config' in read ? [read.config.account, read.config.entry.place] : [read.name, read.place]
    const fault = (message: string) => faults.push({ name, place, message })
    const former = name === null ? undefined : firstOfName.get(name)
    // guard: one entry for a name
    if (former !== undefined) {
      fault(
        `${place}: account ${JSON.stringify(name)} stands at ${former.place} too, which is ${former.isUsable ? 'used' : 'faulty'}: give one of them another name, or remove it`,
      )
      continue
    }
    if (name !== null) firstOfName.set(name, { place, isUsable: 'config' in read })
    if (!('config' in read)) {
      for (const message of read.faults) fault(message)
      continue
    }
    const { apiKey } = read.config.service
    const owner = ownerOfKey.get(apiKey)
    // guard: one account for a key
    if (owner !== undefined) {
      fault(
        `${place}: account ${JSON.stringify(name)} has the key of account ${JSON.stringify(owner.account)} (${owner.entry.place}), which is used: ` +
          'a key opens one account, so put the right key into its key file, or remove the entry',
      )
      continue
    }
    ownerOfKey.set(apiKey, read.config)
    accounts.push(read.config)
  }
  return { accounts, faults }
}
