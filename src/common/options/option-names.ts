import { AsyncLocalStorage } from 'node:async_hooks'

/** The options that messages name. */
export type NamedOption =
  | 'account'
  | 'adopt'
  | 'allowHttp'
  | 'apiKey'
  | 'baseUrl'
  | 'database'
  | 'expiresAt'
  | 'force'
  | 'maxBodyBytes'
  | 'leaveOut'
  | 'personKey'
  | 'proxy'
  | 'pseudonymise'
  | 'requestTimeoutMs'
  | 'restart'
  | 'runTimeoutMs'
  | 'timeoutMs'

export type OptionNames = Readonly<Partial<Record<NamedOption, string>>>

const shownNames = new AsyncLocalStorage<{ names: OptionNames }>()

/** The option's name for the user: the property in the library, a flag or variable on the command line. */
export function optionName(option: NamedOption): string {
  return shownNames.getStore()?.names[option] ?? `\`${option}\``
}

/** Does work whose messages call these options so, and others as before. Called by the command line only. */
export function withOptionNames<T>(names: OptionNames, work: () => T): T {
  return shownNames.run({ names: { ...shownNames.getStore()?.names, ...names } }, work)
}

/** From now on the work under way calls these options so. */
export function renameOptions(names: OptionNames): void {
  const store = shownNames.getStore()
  if (store !== undefined) store.names = { ...store.names, ...names }
}
