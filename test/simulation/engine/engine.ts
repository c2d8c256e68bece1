/** The database of the simulation: one for thousands of histories, emptied between them. */
import type { RunOptions } from '../../../src/index.ts'

/** Where a run's statements stop, or fail once; they are counted from 1 over the whole run. */
export interface Breakage {
  readonly at: number
  /**
   * `ends_when_ready`: the connection of this number, not the statement, ends in the packet in which it becomes ready; PGlite has
   * none. `dies`: from this statement on nothing goes through; an open transaction is rolled back. `dies_after_commit`: the
   * same, at the first commit from there on, which still takes place. `conflict`: this statement alone fails, as by a
   * deadlock.
   */
  readonly how: 'dies' | 'dies_after_commit' | 'conflict' | 'ends_when_ready'
}

/** What became of a breakage. */
export interface Broken {
  readonly statements: number
  /** Whether the process is dead. */
  readonly isDead: boolean
  /** The statement that failed alone stood in a batch, which is tried again. */
  readonly conflict: 'none' | 'in_batch' | 'elsewhere'
  /** A connection ended when it became ready. */
  readonly hasLostConnection: boolean
}

/** The run could not go on with its database, dead or not. */
export function isBroken({ isDead, conflict, hasLostConnection }: Broken): boolean {
  return isDead || conflict === 'elsewhere' || hasLostConnection
}

/** Sends a statement; all columns of all rows come as text. */
export type Ask = (text: string) => Promise<readonly (readonly (string | null)[])[]>

export interface Engine extends AsyncDisposable {
  readonly name: string
  /** The option by which a run finds the database, and what became of the breakage. */
  forRun(breakage: Breakage | null): AsyncDisposable & {
    readonly option: Pick<RunOptions, 'pool' | 'pglite'>
    readonly broken: Broken
  }
  readonly ask: Ask
}

/** Counts the statements of one run and breaks them as told. */
export class Counter implements Broken {
  statements = 0
  isDead = false
  conflict: Broken['conflict'] = 'none'
  readonly #breakage: Breakage | null
  readonly #lostConnections: () => number

  constructor(breakage: Breakage | null, lostConnections = () => 0) {
    this.#breakage = breakage
    this.#lostConnections = lostConnections
  }

  get hasLostConnection(): boolean {
    return this.#lostConnections() > 0
  }

  /** @throws when the statement must not go through. */
  pass(isInBatch: boolean): void {
    this.statements += 1
    const { at, how } = this.#breakage ?? { at: 0, how: 'dies' }
    if (how === 'dies' && at > 0 && this.statements >= at) this.isDead = true
    if (this.isDead) throw dead()
    if (how !== 'conflict' || this.statements !== at) return
    this.conflict = isInBatch ? 'in_batch' : 'elsewhere'
    throw Object.assign(new Error('deadlock detected'), { code: '40P01' })
  }

  committed(): void {
    const { at, how } = this.#breakage ?? { at: 0, how: 'dies' }
    if (how !== 'dies_after_commit' || this.statements < at) return
    this.isDead = true
    throw dead()
  }
}

function dead(): Error {
  return Object.assign(new Error('the process is dead'), { code: '08006' })
}

/** The statement by which a batch makes sure of its lease: what fails after it is tried again. */
export function isFence(text: string): boolean {
  return text.includes('sync_runs') && text.includes('for key share')
}
