/** A service over real HTTP, an empty mirror, and the command line between them. */
import { describe } from 'vitest'
import type { Account } from '../accounts/account.ts'
import { headcount, headcountOnTerminal, type Ran, type RunOptions } from './command.ts'
import { engines, freshPlace, type FreshOptions, type Place } from '../databases/databases.ts'
import { send, startFaultServer, type Answering, type FaultServer } from '../http/fault-server.ts'
import { testKey } from '../http/reading.ts'

interface CommandLine {
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  onTerminal(args: readonly string[], options?: Parameters<typeof headcountOnTerminal>[1]): Promise<Ran>
}

export interface CommandStage extends CommandLine, AsyncDisposable {
  readonly service: FaultServer
  readonly place: Place
  /** What a user would have set. */
  readonly env: Readonly<Record<string, string>>
}

/** The command line of a user who has set this. */
function commandLineWith(env: CommandStage['env']): CommandLine {
  const withEnv = <O extends RunOptions>(given: O | undefined) => ({
    ...given,
    env: { ...env, ...given?.env },
  })
  return {
    run: (args, given) => headcount(args, withEnv(given)),
    onTerminal: (args, given) => headcountOnTerminal(args, withEnv(given)),
  }
}

export function commandStage(
  engine: (typeof engines)[number],
  account: Account,
  options?: FreshOptions,
): Promise<CommandStage> {
  return stageOf(engine, (request) => account.answer(request), { HEADCOUNT_API_KEY: testKey }, options)
}

/** @param variables that a user would have set besides the addresses */
export async function stageOf(
  engine: (typeof engines)[number],
  answering: Answering,
  variables: CommandStage['env'],
  options?: FreshOptions,
): Promise<CommandStage> {
  await using opened = new AsyncDisposableStack()
  const service = opened.use(await startFaultServer())
  service.always(send(answering))
  const place = opened.use(await freshPlace(engine, options))
  const env = { HEADCOUNT_BASE_URL: service.baseUrl.href, DATABASE_URL: place.url, ...variables }
  const resources = opened.move()
  return {
    service,
    place,
    env,
    ...commandLineWith(env),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** On Postgres only: what the engine cannot make different, for a command on PGlite takes ten times as long. */
export function onPostgresCommandStage(
  name: string,
  tests: (stage: (account: Account, options?: FreshOptions) => Promise<CommandStage>) => void,
): void {
  describe(name, () => tests((account, options) => commandStage('postgres', account, options)))
}

/** The same tests on both engines. */
export function onBothCommandStages(
  name: string,
  tests: (
    stage: (account: Account, options?: FreshOptions) => Promise<CommandStage>,
    engine: (typeof engines)[number],
  ) => void,
): void {
  describe.each(engines)(`${name} (%s)`, (engine) =>
    tests((account, options) => commandStage(engine, account, options), engine),
  )
}
