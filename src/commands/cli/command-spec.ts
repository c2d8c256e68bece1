import type { Option } from 'commander'
import type { Command } from './context.ts'

/** A command as it is declared: names, flags, help. Its code is loaded only when it is called. */
export interface CommandSpec {
  readonly name: string
  readonly load: () => Promise<Command<never>>
  readonly summary: string
  readonly description: string
  readonly examples: readonly Example[]
  /** What stands on the command line besides flags, like `<sql>`. */
  readonly args?: readonly (readonly [name: string, description: string])[]
  readonly options?: readonly Option[]
  /** Commands of its own, as `accept` of `rejects`. */
  readonly group?: CommandGroup
}

/** Commands that help shows below one heading. */
export interface CommandGroup {
  readonly heading: string
  readonly commands: readonly CommandSpec[]
}

/** @param line what is typed behind the name of the program */
export type Example = readonly [line: string, what: string]
