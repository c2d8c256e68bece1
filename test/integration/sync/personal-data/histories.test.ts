/**
 * Histories of an account whose mirror leaves fields out, stores pseudonyms, forgets old events, erases people and restores them,
 * in any order, with faults between: what the simulation, which knows the rows to expect, does not draw. More of them:
 * `HISTORIES=200 npm test -- personal-data/histories`; `FIRST_HISTORY` is the first seed.
 */
import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { erasePerson, restorePerson, type RunOptions } from '../../../../src/index.ts'
import { chanceOf, type Chance } from '../../../simulation/account/chance.ts'
import { refusal, type Account } from '../../../support/accounts/account.ts'
import { send, type Answer, type SeenRequest } from '../../../support/http/fault-server.ts'
import { EVENTS, mirrorClient, responsesTo, type MirrorClient } from '../../../support/http/mirror-client.ts'
import { keyOf, serve } from '../../../support/http/serving.ts'
import { readLive } from '../../../support/mirror/live-rows.ts'
import { optionOf, startStage, type Ended, type Stage } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'
import { addressOf, drawAccount, PEOPLE } from './drawn-account.ts'

const FIRST = Number(process.env['FIRST_HISTORY'] ?? 1)
const COUNT = Number(process.env['HISTORIES'] ?? 1)
const STEPS = 14
const FORGET_AFTER_MS = 365 * 86_400_000

const personKey = 'a key of the suppression list for tests only'

type Rules = Pick<RunOptions, 'leaveOut' | 'pseudonymise'>
const RULES: readonly Rules[] = [
  {},
  { leaveOut: ['responses.message', 'responses._extra.phone', 'slots._extra'] },
  { pseudonymise: ['email'] },
  { leaveOut: ['responses.email', 'responses._extra'] },
  { pseudonymise: ['name', 'email'], leaveOut: ['responses._extra.phone'] },
  { pseudonymise: ['name'], leaveOut: ['responses.email', 'slots._extra.who'] },
  { leaveOut: ['responses.name', 'responses.message', 'slots._extra'] },
]

const seeds = Array.from({ length: COUNT }, (_, place) => FIRST + place)

test.each(seeds)(
  'history %i is exact at each step, forgets whom it must, and is served as it is',
  async (seed) => {
    const history = new History(chanceOf(seed))
    try {
      await history.play(seed % 8 === 0 ? 'pglite' : 'postgres')
    } catch (error) {
      if (error instanceof Error) error.message += `\n${history.steps.join('\n')}`
      throw error
    }
  },
)

class History {
  readonly steps: string[] = []
  readonly #chance: Chance
  readonly #account: Account
  readonly #edit: () => string
  readonly #erased = new Set<string>()
  #rules: Rules = {}
  /** What happens at the service between the first and the second page of a list. */
  #betweenPages: (() => void) | null = null

  constructor(chance: Chance) {
    this.#chance = chance
    const { account, edit } = drawAccount(chance)
    this.#account = account
    this.#edit = edit
  }

  async play(engine: Stage['engine']): Promise<void> {
    await using on = await startStage(engine, this.#account)
    on.service.always(send((request) => this.#answer(request)))
    await this.#run(on, 'sync', {})
    await using serving = await serve(on.target)
    const client = await mirrorClient(on.target, serving)
    for (let step = 0; step < STEPS; step++) {
      await this.#change(on)
      await this.#runWithFaults(on)
      await this.#look(on, client)
    }
    this.#betweenPages = null
    for (const mode of ['sync', 'backfill', 'sync'] as const)
      await this.#run(on, mode, {
        acceptDeletions: true,
        forgetAfterMs: FORGET_AFTER_MS,
        all: mode === 'sync',
      })
    await this.#look(on, client)
    await this.#expectRest(on)
    await this.#expectErased(on)
    if (this.#erased.size === 0) await this.#expectServed(on, serving.url)
    expect(serving.errors).toEqual([])
  }

  /** Lists have entity-tags, but for one that comes in pages of four. */
  #answer(request: SeenRequest): Answer {
    const [path = '', query = ''] = request.path.split('?')
    const made = this.#account.answer({ ...request, path })
    if (made.status !== undefined && made.status !== 200) return made
    if (!path.endsWith('/b/responses')) {
      const etag = `"${hash('sha256', JSON.stringify(made.body)).slice(0, 12)}"`
      if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' }
      return { ...made, headers: { etag } }
    }
    const page = Number(/page=(\d+)/.exec(query)?.[1] ?? 0)
    const items = [...this.#account.of('b')]
    if (page === 0) {
      this.#betweenPages?.()
      this.#betweenPages = null
    }
    const isLast = items.length <= page * 4 + 4
    const headers = isLast ? {} : { link: `<?page=${page + 1}>; rel="next"` }
    return { headers, body: items.slice(page * 4, page * 4 + 4) }
  }

  async #change(on: Stage): Promise<void> {
    const chance = this.#chance
    for (let count = chance.int(0, 3); count > 0; count--) this.steps.push(this.#edit())
    if (chance.odds(0.2)) {
      this.#rules = chance.pick(RULES)
      this.steps.push(JSON.stringify(this.#rules))
    }
    if (chance.odds(0.12)) {
      const person = chance.pick(PEOPLE)
      const options = { ...optionOf(on.target), email: addressOf(person), personKey }
      const isErased = this.#erased.delete(person)
      if (isErased) await restorePerson(options)
      else await erasePerson(options)
      if (!isErased) this.#erased.add(person)
      this.steps.push(`${isErased ? 'restore' : 'erase'} ${person}`)
    }
    if (chance.odds(0.2) && this.#account.responses.has('b'))
      this.#betweenPages = () => void this.#account.of('b').splice(0, 1)
  }

  async #runWithFaults(on: Stage): Promise<void> {
    const chance = this.#chance
    const isCalm = this.#betweenPages === null && this.#erased.size === 0
    const event = Object(chance.pick(this.#account.events)) as { readonly id: string }
    const failing = chance.odds(0.25) ? responsesTo(event.id) : null
    if (failing !== null) on.service.at(failing, send(refusal(400)))
    const breaking = chance.odds(0.15) ? AbortSignal.timeout(chance.int(1, 60)) : null
    const mode = chance.pick(['sync', 'sync', 'backfill'] as const)
    const options: Partial<RunOptions> = {
      ...(chance.odds(0.5) && { forgetAfterMs: FORGET_AFTER_MS }),
      ...(chance.odds(0.5) && { all: true }),
      ...(chance.odds(0.3) && { acceptDeletions: true }),
      ...(chance.odds(0.3) && { inMemoryBytes: 1, chunkBytes: 300 }),
      batchRows: chance.pick([1, 3, 5000]),
      concurrency: chance.pick([1, 3]),
    }
    const isTried = isCalm && failing === null && breaking === null && mode === 'sync' && chance.odds(0.5)
    const tried = isTried ? await this.#run(on, mode, { ...options, dryRun: true }) : null
    const ended = await this.#run(on, mode, { ...options, ...(breaking && { signal: breaking }) })
    if (tried !== null) expect(told(ended)).toEqual(told(tried))
    if (failing !== null) on.service.at(failing)
  }

  async #run(on: Stage, mode: 'sync' | 'backfill', options: Partial<RunOptions>): Promise<Ended> {
    const ended = await on.run(mode, { personKey, holdForMs: 1, ...this.#rules, ...options })
    this.steps.push(`${mode} ${JSON.stringify(options)}: ${ended.exit} ${ended.error?.message ?? ''}`)
    expect([0, 6, 8, 143]).toContain(ended.exit)
    return ended
  }

  /** verify finds no difference, whichever way it reads; equal entity-tags are equal bytes. */
  async #look(on: Stage, client: MirrorClient): Promise<void> {
    for (const thorough of [false, true]) {
      const words = await verifyOn(on, { ...this.#rules, personKey, thorough }).then(
        inWords,
        (error: unknown) => {
          // The rules of the account are those of the last run that began.
          if (!String(error).includes('Nothing was compared')) throw error
          return []
        },
      )
      expect(words).toEqual([])
    }
    for (const path of [EVENTS, ...[...this.#account.responses.keys()].map(responsesTo)])
      await client.read(path)
  }

  /** Nothing is left to be written. */
  async #expectRest(on: Stage): Promise<void> {
    const { report } = await this.#run(on, 'backfill', {
      acceptDeletions: true,
      forgetAfterMs: FORGET_AFTER_MS,
    })
    for (const rows of Object.values(report.rows))
      expect(rows).toEqual({ inserted: 0, updated: 0, deleted: 0 })
  }

  /** Neither rows nor former versions say what a person wrote who is erased, or who came to an event that is forgotten. */
  async #expectErased(on: Stage): Promise<void> {
    const versions = await on.query(
      `select h.document from headcount.response_history h
        where h.document ?| array['name', 'email', 'message', 'phone', 'diet']
          and (exists (select from headcount.suppressed_responses s where (s.account_id, s.event_id, s.response_id) = (h.account_id, h.event_id, h.response_id))
            or exists (select from headcount.sync_state f where (f.account_id, f.event_id) = (h.account_id, h.event_id) and f.forgotten_at is not null))`,
    )
    expect(versions).toEqual([])
    const rows = await on.query(`select event_id, id::text, name, message from headcount.responses`)
    for (const [event, id, name, message] of rows) {
      const sent = this.#account.of(String(event)).map((item) => Object(item) as Record<string, unknown>)
      const email = sent.find((item) => String(item['id']) === id)?.['email']
      const isErased = [...this.#erased].some(
        (person) => String(email).trim().toLowerCase() === addressOf(person),
      )
      if (isErased) expect([event, id, name, message]).toEqual([event, id, null, null])
    }
  }

  /** A mirror of what is served has the same rows, but for the kind, which a value that is left out may have told, and forgotten lists. */
  async #expectServed(on: Stage, baseUrl: string): Promise<void> {
    const apiKey = await keyOf(on.target)
    const options = {
      account: 'second',
      apiKey,
      baseUrl,
      createAccount: true,
      all: true,
      acceptDeletions: true,
    }
    for (let count = 0; count < 2; count++) await on.run('sync', options)
    const forgotten = await on.query(
      `select event_id from headcount.sync_state where forgotten_at is not null`,
    )
    const isForgotten = (row: string) => forgotten.some(([id]) => row.includes(`"event_id":"${String(id)}"`))
    await using database = await connect(on.target)
    const rowsOf = async (account: string) =>
      (await readLive(database, account))
        .filter((row) => !isForgotten(row))
        .map((row) => (Object.keys(this.#rules).length > 0 ? row.replace(/"kind":\s*"\w+"/, '') : row))
    expect(await rowsOf('second')).toEqual(await rowsOf('default'))
  }
}

const told = ({ report: { rows, held, rejected } }: Ended) => ({ rows, held, rejected })
