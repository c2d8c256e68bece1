import type { Command as Declaration } from 'commander'
import type { Flags } from '../../config/config.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** What a command is given. */
export interface Context<F> {
  readonly flags: F
  /** What stands on the command line besides flags. */
  readonly operands: readonly string[]
  readonly terminal: Terminal
  /** Aborted by SIGINT, SIGTERM and SIGHUP, with an InterruptedError as the reason. */
  readonly signal: AbortSignal
  /** Ends the process soon after the command, whatever is still open: nobody waits for it. */
  readonly leaveOpen: () => void
  /** The command line as it is declared. */
  readonly program: Declaration
}

/** Of a command that writes one JSON document with `--json`. */
export type JsonFlags = Flags & { readonly json?: true }

/** The same of a list that `--limit` cuts. */
export type ListFlags = JsonFlags & { readonly limit: number }

/** A command does its work, prints, and answers the exit code. Failures are thrown. */
export type Command<F> = (context: Context<F>) => Promise<number>
