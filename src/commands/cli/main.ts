/** argv -> command, exit code; nothing else. */
import process from 'node:process'
import { CommanderError } from 'commander'
import { abortOnSignal } from './signals.ts'
import { createProgram } from './program.ts'
import { settingNames } from './options.ts'
import { failureText, openTerminal } from '../terminal/terminal.ts'
import { usageFailure } from './usage-errors.ts'
import { wantsStacks } from '../../config/config.ts'
import { HeadcountError } from '../../common/errors.ts'
import { setOptionNames } from '../../common/option-names.ts'

/** What is still open after the work is given this long to end; nothing should be. */
const MAX_WIND_DOWN_MS = 3000
/** After a signal the work itself took its time, and a container engine kills at ten seconds; or nobody waits for what is open. */
const SHORT_WIND_DOWN_MS = 500

async function main(argv: readonly string[]): Promise<void> {
  const terminal = openTerminal(process.stdout, process.stderr)
  const signal = abortOnSignal()
  setOptionNames(settingNames)
  let isLeftOpen = false
  const leaveOpen = () => {
    isLeftOpen = true
  }
  const program = createProgram(terminal, async (command, flags, operands) => {
    process.exitCode = await command({ flags, operands, terminal, signal, leaveOpen, program })
  })
  try {
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    const failure = error instanceof CommanderError ? await commanderFailure(error, program, argv) : error
    if (failure === null) return
    await terminal.err.write(failureText(describe(failure)))
    process.exitCode = failure instanceof HeadcountError ? failure.exitCode : 1
  } finally {
    const patience = signal.aborted || isLeftOpen ? SHORT_WIND_DOWN_MS : MAX_WIND_DOWN_MS
    setTimeout(() => process.exit(), patience).unref()
  }
}

/** commander throws for help and version too: null then. */
async function commanderFailure(
  error: CommanderError,
  program: ReturnType<typeof createProgram>,
  argv: readonly string[],
) {
  return error.exitCode === 0 ? null : usageFailure(error, program, argv)
}

function describe(failure: unknown): string {
  if (!(failure instanceof Error)) return `unexpected: ${String(failure)}`
  if (wantsStacks()) return failure.stack ?? failure.message
  if (failure instanceof HeadcountError) return failure.message
  return `unexpected: ${failure.message}\nThis is a fault of headcount. HEADCOUNT_LOG_LEVEL=debug shows where.`
}

void main(process.argv.slice(2))
