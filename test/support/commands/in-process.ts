/**
 * The command line within the process of the tests: the same program, on outputs and an environment of its own. A process of its
 * own costs 20 times as much, most of it for loading and compiling.
 */
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { withEnvironment } from './environments.ts'
import { runCommandLine } from '../../../src/commands/cli/run-command-line.ts'
import { openTerminal } from '../../../src/commands/terminal/terminal.ts'
import { withCommandName } from '../../../src/common/command-name.ts'

/**
 * Runs `headcount …` as it is called where it was installed, and gathers what it wrote and how it ended.
 *
 * @param columns of the terminal, which has no colours; null: outputs are none
 */
export async function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  columns: number | null,
) {
  const [stdout, stderr] = [openStream(columns), openStream(columns)]
  const written = Promise.all([text(stdout), text(stderr)])
  const terminal = openTerminal(stdout, stderr)
  const code = await withEnvironment(env, () =>
    withCommandName('headcount', () =>
      runCommandLine(args, { terminal, signal: new AbortController().signal, leaveOpen: () => {} }),
    ),
  )
  // A process would end after what is still being written.
  await Promise.all([terminal.out.write(''), terminal.err.write('')])
  stdout.end()
  stderr.end()
  const [out, err] = await written
  return { code, stdout: out, stderr: err }
}

function openStream(columns: number | null): PassThrough {
  const stream = new PassThrough()
  return columns === null ? stream : Object.assign(stream, { isTTY: true, columns })
}
