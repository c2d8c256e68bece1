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
  | 'pseudonymise'
  | 'requestTimeoutMs'
  | 'restart'
  | 'runTimeoutMs'
  | 'timeoutMs'

const shownNames = new Map<NamedOption, string>()

/** The option's name for the user: the property in the library, a flag or variable on the command line. */
export function optionName(option: NamedOption): string {
  return shownNames.get(option) ?? `\`${option}\``
}

/** Sets the names for the whole process. Called by the command line only. */
export function setOptionNames(names: Readonly<Partial<Record<NamedOption, string>>>): void {
  for (const option of Object.keys(names) as NamedOption[]) {
    const name = names[option]
    if (name !== undefined) shownNames.set(option, name)
  }
}
