import { createInterface } from 'node:readline/promises'
import type { Terminal } from './terminal.ts'

/** Whether somebody is there to answer: the question goes to stderr, the answer comes from stdin. */
export function canAsk({ err }: Terminal): boolean {
  return err.isTerminal && process.stdin.isTTY
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
