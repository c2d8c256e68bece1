/** argv -> command, exit code; nothing else. */
import process from 'node:process'
import { openTerminal } from '../terminal/terminal.ts'
import { runCommandLine } from './run-command-line.ts'
import { abortOnSignal } from './signals.ts'

/** What is still open after the work is given this long to end; nothing should be. */
const MAX_WIND_DOWN_MS = 3000
/** After a signal the work itself took its time, and a container engine kills at ten seconds; or nobody waits for what is open. */
const SHORT_WIND_DOWN_MS = 500

async function main(argv: readonly string[]): Promise<void> {
  const signal = abortOnSignal()
  let isLeftOpen = false
  const leaveOpen = () => {
    isLeftOpen = true
  }
  const terminal = openTerminal(process.stdout, process.stderr)
  process.exitCode = await runCommandLine(argv, { terminal, signal, leaveOpen })
  const patience = signal.aborted || isLeftOpen ? SHORT_WIND_DOWN_MS : MAX_WIND_DOWN_MS
  setTimeout(() => process.exit(), patience).unref()
}

void main(process.argv.slice(2))
