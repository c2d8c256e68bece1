import { createInterface } from 'node:readline/promises'
import { UsageError } from '../../common/errors.ts'
import type { Context } from '../cli/context.ts'
import type { Terminal } from './terminal.ts'

/** Whether somebody is there to answer: the question goes to stderr, the answer comes from stdin. */
export function canAsk({ err }: Terminal): boolean {
  return err.isTerminal && process.stdin.isTTY
}

/** Something that is done for ever. */
interface Deed {
  readonly question: string
  /** What a refusal says first: `prune: nothing was deleted`. */
  readonly notDone: string
  /** What --yes does: `delete`. */
  readonly verb: string
}

/** Whether --yes or somebody on the terminal wants it. @throws UsageError where nobody can answer, InterruptedError */
export async function confirmOrRefuse(
  { flags, terminal, signal }: Pick<Context<{ readonly yes?: true }>, 'flags' | 'terminal' | 'signal'>,
  { question, notDone, verb }: Deed,
): Promise<boolean> {
  if (flags.yes) return true
  if (canAsk(terminal)) return confirm(question, terminal, signal)
  throw new UsageError(`${notDone}, for there is no terminal to ask on. Add --yes to ${verb} what is listed.`)
}

/** Asks for a yes; anything else, the end of the input too, is a no. @throws InterruptedError */
export async function confirm(question: string, { err }: Terminal, signal: AbortSignal): Promise<boolean> {
  // Without the line editing of a terminal, which takes Ctrl-C away from the signals that the program listens to.
  using lines = createInterface({ input: process.stdin, output: err.stream, terminal: false })
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal }), ended])
    return /^y(es)?$/i.test(answer.trim())
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}
