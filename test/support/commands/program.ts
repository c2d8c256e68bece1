/** What the programs of the npm scripts have in common: their options, and how they end. */
import { inspect, parseArgs } from 'node:util'
import type { ParseArgsOptionsConfig } from 'node:util'

/** An argument that cannot be used. */
export class ArgumentError extends Error {}

/** The values of these options, as `parseArgs` reads them. */
export type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options }>
>['values']

/**
 * Runs a program: 0, 1 when it failed, 2 for arguments that cannot be used. `--help` prints the help.
 *
 * @param main gives whether all went well. @throws ArgumentError naming the argument
 */
export async function runProgram<const Options extends ParseArgsOptionsConfig>(
  help: string,
  options: Options,
  main: (values: Values<Options>) => boolean | Promise<boolean>,
): Promise<0 | 1 | 2> {
  try {
    if (!process.argv.includes('--help')) return (await main(parseArgs({ options }).values)) ? 0 : 1
    process.stdout.write(help)
    return 0
  } catch (error) {
    const isArgument = error instanceof ArgumentError || isUnparsable(error)
    process.stderr.write(isArgument ? `${error.message}\n\n${help}` : `${inspect(error)}\n`)
    return isArgument ? 2 : 1
  }
}

/** @throws ArgumentError when it is not a whole number, or less than the least */
export function count(option: string, text: string, least = 1): number {
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new ArgumentError(`--${option} must be a whole number from ${least}, not "${text}".`)
}

/**
 * The names that were given, in the order of the known ones; all of these when none was.
 *
 * @throws ArgumentError at one that is unknown
 */
export function chosen<Name extends string>(
  option: string,
  named: readonly string[] | undefined,
  names: readonly Name[],
): readonly Name[] {
  const unknown = named?.find((name) => !names.some((known) => known === name))
  if (unknown !== undefined) {
    throw new ArgumentError(`--${option} must be one of ${names.join(', ')}, not "${unknown}".`)
  }
  return names.filter((name) => named?.includes(name) ?? true)
}

function isUnparsable(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
}
