/** The world of one history: the account at the service, the mirror as the model has it, and the clock. */
import { accountOf } from '../account/account.ts'
import type { Account } from '../account/account.ts'
import type { Identity } from '../model/another-account.ts'
import { chanceOf } from '../account/chance.ts'
import { empty, letPass, readTables } from './clock.ts'
import type { Tables } from './clock.ts'
import type { Engine } from '../engine/engine.ts'
import type { Moment } from '../judge/judge.ts'
import { leaks, look, Memory, prepareLook } from '../judge/snapshot.ts'
import type { Seen } from '../judge/snapshot.ts'
import type { Mirror } from '../model/mirror.ts'
import type { RunOnRecord } from '../judge/runs-on-record.ts'
import { Serving } from '../service/serving.ts'
import type { Fate, History } from './steps.ts'
import { startService } from '../service/service.ts'
import type { Service } from '../service/service.ts'

/** What thousands of histories share. */
export interface Stage extends AsyncDisposable {
  readonly engine: Engine
  readonly tables: Tables
  readonly service: Service
  readonly serving: Serving
  /** Played so far. */
  histories: number
}

const HISTORIES_TO_TRUNCATE = 20

export async function openStage(engine: Engine): Promise<Stage> {
  await engine.ask(prepareLook)
  const service = await startService()
  const serving = new Serving(engine)
  return {
    engine,
    tables: await readTables(engine.ask),
    service,
    serving,
    histories: 0,
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]()
      await serving[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

export class World {
  readonly stage: Stage
  readonly owner: Account
  readonly other: Account
  mirror: Mirror = new Map()
  /** Of the account, as the mirror knows it. */
  identity: Identity = { email: null, key: null }
  /** Simulated time, by the clock of the database. */
  minute = 0
  /** By how many minutes it is ahead of the clock of the runs. */
  clockAhead = 0
  /** In their order. */
  runs: RunOnRecord[] = []
  /** Rejects that the owner can live with: the list and the SHA-256. */
  readonly accepted = new Set<string>()
  /** A run that broke off and is still on record as running: since when, and what became of its process. */
  stuck: { readonly since: number; readonly fate: Fate } | null = null
  /** Runs with the second key: items quote the first one, which they cannot take out of what they reject. */
  readonly runsOfSecondKey = new Set<number>()
  readonly moments: Moment[] = []
  /** What happened, in lines that are the same whenever the history is played. */
  readonly trace: string[] = []

  readonly #memory = new Memory()

  constructor(stage: Stage, { size }: History) {
    this.stage = stage
    const chance = chanceOf(size.seed)
    this.owner = accountOf(chance, size, 'owner')
    this.other = accountOf(chance, { events: [3, 12], validators: 'none' }, 'other')
  }

  static async begin(stage: Stage, history: History): Promise<World> {
    stage.histories += 1
    stage.serving.forget()
    await empty(stage.engine.ask, stage.tables, stage.histories % HISTORIES_TO_TRUNCATE === 1)
    return new World(stage, history)
  }

  look(): Promise<Seen> {
    return look(this.stage.engine.ask, this.minute, this.clockAhead, this.#memory)
  }

  /** Rows in which a key stands that the run knew which wrote them. */
  leaks(): Promise<readonly string[]> {
    return leaks(this.stage.engine, this.stage.tables.all, this.runsOfSecondKey)
  }

  async accept(): Promise<void> {
    await this.stage.engine.ask(
      `insert into headcount.accepted_rejects (account_id, event_id, sha256)
       select distinct account_id, event_id, sha256 from headcount.rejects on conflict do nothing`,
    )
    for (const [id, { rejects }] of this.mirror) {
      for (const { sha256 } of rejects) this.accepted.add(`${id} ${sha256}`)
    }
  }

  /** @param ofRuns whether it passes for the runs too, or the clock of the database alone jumps ahead */
  async pass(minutes: number, ofRuns = true): Promise<void> {
    await letPass(this.stage.engine.ask, this.stage.tables, minutes, ofRuns)
    this.minute += minutes
    if (!ofRuns) this.clockAhead += minutes
    for (const moment of this.moments) moment.at -= minutes * 60e6
  }
}
