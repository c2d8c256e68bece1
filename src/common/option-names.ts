/** The options that messages name. */
export type NamedOption =
  | 'account'
  | 'adopt'
  | 'allowHttp'
  | 'apiKey'
  | 'baseUrl'
  | 'database'
  | 'maxBodyBytes'
  | 'requestTimeoutMs'
  | 'restart'
  | 'runTimeoutMs'

const given = new Map<NamedOption, string>()

/** What whoever calls this program knows the option by: its own name to a program, flag or variable to the command. */
export function optionName(option: NamedOption): string {
  return given.get(option) ?? `\`${option}\``
}

/** For the command line, which is the whole process: its users set options by flags and variables. */
export function nameOptions(names: Readonly<Partial<Record<NamedOption, string>>>): void {
  for (const option of Object.keys(names) as NamedOption[]) {
    const name = names[option]
    if (name !== undefined) given.set(option, name)
  }
}
