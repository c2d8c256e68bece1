import { parseArgs } from 'node:util'
import type { AccountSize } from './account.ts'
import { engineNames } from './engines/engine.ts'
import type { EngineName } from './engines/engine.ts'

export type ScenarioName = 'cold' | 'unchanged' | 'changed'
const scenarioNames: readonly ScenarioName[] = ['cold', 'unchanged', 'changed']

export interface Options {
  readonly size: AccountSize
  readonly engines: readonly EngineName[]
  readonly scenarios: readonly ScenarioName[]
  readonly repeat: number
  /** File for every figure as JSON; null: none. */
  readonly json: string | null
  /** Folder for a CPU profile of each measured process; null: none are taken. */
  readonly profile: string | null
}

export const help = `npm run bench -- [options]

  --events N        events of the account (1000)
  --responses N     responses to each event (100)
  --engine NAME     ${engineNames.join(' or ')}; may be given twice (both)
  --scenario NAME   ${scenarioNames.join(', ')}; may be given more than once (all)
  --repeat N        rounds; the table shows the least and the median (1)
  --json FILE       every figure of every round
  --profile FOLDER  a CPU profile of each measured process (slower: take no times from such a run)

Progress goes to stderr, the table to stdout. See docs/performance.md.
`

const declared = {
  events: { type: 'string', default: '1000' },
  responses: { type: 'string', default: '100' },
  engine: { type: 'string', multiple: true },
  scenario: { type: 'string', multiple: true },
  repeat: { type: 'string', default: '1' },
  json: { type: 'string' },
  profile: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

/** An argument that cannot be used. */
export class ArgumentError extends Error {}

/**
 * Reads the arguments; null when help is asked for.
 *
 * @throws ArgumentError naming the argument.
 */
export function readOptions(args: readonly string[]): Options | null {
  const values = parse(args)
  if (values.help) return null
  return {
    size: { events: count('events', values.events), responses: count('responses', values.responses) },
    engines: chosen('engine', values.engine, engineNames),
    scenarios: chosen('scenario', values.scenario, scenarioNames),
    repeat: count('repeat', values.repeat),
    json: values.json ?? null,
    profile: values.profile ?? null,
  }
}

function count(option: string, text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new ArgumentError(`--${option} must be a whole number from 1, not "${text}".`)
  }
  return value
}

function chosen<Name extends string>(
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

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: declared }).values
  } catch (error) {
    throw new ArgumentError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
