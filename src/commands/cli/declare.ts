import type { Command as Declaration } from 'commander'
import type { Command } from './context.ts'
import type { Example } from './help.ts'

/** Declares a command whose code is loaded only when it is called. */
export type Declare = <F>(
  name: string,
  group: string,
  load: () => Promise<Command<F>>,
  texts: Texts,
  /** The command that this one belongs to, as `accept` to `rejects`. */
  parent?: Declaration,
) => Declaration

export interface Texts {
  readonly summary: string
  readonly description: string
  readonly examples: readonly Example[]
}
