import { drawPairs } from '../../src/commands/output/format/table.ts'
import { ArgumentError, chosen, count } from '../../test/support/commands/program.ts'
import type { Values } from '../../test/support/commands/program.ts'
import { engineNames } from '../engines/engine.ts'
import { engineOf, scenarioNames, scenarios } from '../scenarios/scenarios.ts'
import type { Scenario } from '../scenarios/scenarios.ts'

export interface Options {
  /** Of the largest account; the others follow. */
  readonly events: number
  readonly responses: number
  readonly scenarios: readonly Scenario[]
  readonly repeat: number
  /** File for every figure as JSON; null: none. */
  readonly json: string | null
  /** Folder for a CPU profile of each measured process; null: none are taken. */
  readonly profile: string | null
}

export const help = `npm run bench -- [options]

  --events N        events of the largest account, from 10 (10000); the others are made smaller with it
  --responses N     responses to each event (100)
  --scenario NAME   one of those below, with those whose names begin with it; may be given more than once (all)
  --engine NAME     only the scenarios on ${engineNames.join(' or ')} (both)
  --repeat N        rounds, each with floors and scenarios (1)
  --json FILE       every figure of every round
  --profile FOLDER  a CPU profile of each measured process (slower: take no times from such a run)

Scenarios:

${drawPairs(
  { width: null },
  scenarios.map(({ name, what }) => [name, what]),
)}
Progress goes to stderr, the tables to stdout. See docs/performance.md.
`

export const declared = {
  events: { type: 'string', default: '10000' },
  responses: { type: 'string', default: '100' },
  engine: { type: 'string', multiple: true },
  scenario: { type: 'string', multiple: true },
  repeat: { type: 'string', default: '1' },
  json: { type: 'string' },
  profile: { type: 'string' },
} as const

/** @throws ArgumentError naming the argument */
export function optionsOf(values: Values<typeof declared>): Options {
  const names = chosen('scenario', values.scenario, scenarioNames)
  const engines = chosen('engine', values.engine, engineNames)
  const wanted = scenarios.filter(({ name }) =>
    names.some((known) => name === known || name.startsWith(`${known}-`)),
  )
  const kept = wanted.filter((scenario) => engines.includes(engineOf(scenario)))
  if (kept.length === 0) throw new ArgumentError(`No scenario that was named is on ${engines.join(' or ')}.`)
  return {
    events: count('events', values.events, 10),
    responses: count('responses', values.responses),
    scenarios: kept,
    repeat: count('repeat', values.repeat),
    json: values.json ?? null,
    profile: values.profile ?? null,
  }
}
