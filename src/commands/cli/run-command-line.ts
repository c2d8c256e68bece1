import { CommanderError } from 'commander'
import { createProgram } from './program.ts'
import { settingNames } from './options.ts'
import { usageFailure } from './usage-errors.ts'
import type { Context } from './context.ts'
import { withFlagsInHints } from './flags-in-hints.ts'
import { messageText } from '../terminal/terminal.ts'
import { wantsStacks, type Flags } from '../../config/config.ts'
import { HeadcountError, UsageError } from '../../common/errors.ts'
import { withOptionNames } from '../../common/options/option-names.ts'

/** Runs the command that the words call. @returns the exit code */
export function runCommandLine(
  argv: readonly string[],
  outside: Pick<Context<unknown>, 'terminal' | 'signal' | 'leaveOpen'>,
): Promise<number> {
  return withOptionNames(settingNames, async () => {
    let exitCode = 0
    const printed: Promise<void>[] = []
    const print = (text: string) => void printed.push(outside.terminal.out.write(text))
    const program = createProgram(outside.terminal, print, async (command, flags, operands) => {
      exitCode = await withFlagsInHints(flags as Flags, () =>
        command({ flags, operands, program, ...outside }),
      )
    })
    try {
      await parse(program, argv)
      await Promise.all(printed)
    } catch (error) {
      const isOfCommander = error instanceof CommanderError
      const failure = isOfCommander ? await usageFailure(error, program, argv) : withoutFolder(error)
      await outside.terminal.err.write(messageText(describe(failure)))
      return failure instanceof HeadcountError ? failure.exitCode : 1
    }
    return exitCode
  })
}

async function parse(program: ReturnType<typeof createProgram>, argv: readonly string[]): Promise<void> {
  try {
    if (argv.length === 0) program.outputHelp()
    else await program.parseAsync(argv, { from: 'user' })
  } catch (error) {
    // commander throws for help and version too.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error
  }
}

/** What needs the working folder, as a relative path, where that was removed. */
function withoutFolder(error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd')) return error
  return new UsageError('The folder in which this was called is gone: change to another one (cd).', {
    cause: error,
  })
}

function describe(failure: unknown): string {
  if (!(failure instanceof Error)) return `unexpected: ${String(failure)}`
  if (wantsStacks()) return failure.stack ?? failure.message
  if (failure instanceof HeadcountError) return failure.message
  return `unexpected: ${failure.message}\nThis is a fault of headcount. HEADCOUNT_LOG_LEVEL=debug shows where.`
}
