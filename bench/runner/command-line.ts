import { inspect } from 'node:util'
import { ArgumentError } from './options.ts'

/** A program of the bench: what its arguments mean, and what it does. */
export interface Program<Options> {
  readonly help: string
  /** Null when help is asked for. @throws ArgumentError naming the argument */
  readonly readOptions: (args: readonly string[]) => Options | null
  /** Gives whether every measurement gave its figures. */
  readonly main: (options: Options) => Promise<boolean>
}

/** Runs a program: 0, 1 when it failed, 2 for arguments that cannot be used. */
export async function exitCodeOf<Options>(
  args: readonly string[],
  { help, readOptions, main }: Program<Options>,
): Promise<0 | 1 | 2> {
  try {
    const options = readOptions(args)
    if (options !== null) return (await main(options)) ? 0 : 1
    process.stdout.write(help)
    return 0
  } catch (error) {
    const isArgument = error instanceof ArgumentError
    process.stderr.write(`${isArgument ? `${error.message}\n\n${help}` : inspect(error)}\n`)
    return isArgument ? 2 : 1
  }
}
