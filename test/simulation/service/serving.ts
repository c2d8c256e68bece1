/**
 * The mirror as it is served: to a client that keeps what it was given and asks a process that lives as long as the stage,
 * and to one that asks a process which has just begun. Both must be shown what the tables hold, after every step.
 */
import { hash } from 'node:crypto'
import { createService } from '../../../src/index.ts'
import { eventText, responseText } from '../model/documents.ts'
import type { Engine } from '../engine/engine.ts'
import { require, requireEqual } from '../judge/judge.ts'
import type { Seen } from '../judge/snapshot.ts'
import { LIST } from '../model/mirror.ts'
import type { Unit } from '../model/mirror.ts'
import { canonical, meant } from '../account/items.ts'

type Service = ReturnType<typeof createService>

/** Of everyone who asks. */
const KEY = 'the key of a client'

/** So many lists that changed are also read by the process that has just begun. */
const READ_ANEW = 2

/** What a client was given. */
interface Given {
  readonly etag: string
  readonly body: string
}

interface Answer extends Given {
  readonly status: number
}

export class Serving implements AsyncDisposable {
  readonly #engine: Engine
  readonly #lent: ReturnType<Engine['forRun']>
  readonly #lasting: Service
  /** By path. */
  #given = new Map<string, Given>()
  /** What was ever sent of a path under a tag. */
  readonly #sent = new Map<string, string>()
  #steps = 0
  #hasKey = false

  constructor(engine: Engine) {
    this.#engine = engine
    this.#lent = engine.forRun(null)
    this.#lasting = this.#begin()
  }

  /** Another history begins, with an empty mirror; what was sent counts on. */
  forget(): void {
    this.#given = new Map()
    this.#hasKey = false
  }

  /** Whatever is asked for, and by whom, the answer is what the tables hold. */
  async requireShown({ mirror, runs }: Seen): Promise<void> {
    if (runs.length === 0) return
    await this.#makeKey()
    this.#steps += 1
    const expected = expectedOf(mirror)
    const anew = this.#begin()
    try {
      const paths = [...expected.keys()]
      const changed = await this.#askAll(this.#lasting, paths, expected)
      await this.#askAll(anew, paths, expected)
      // Reading is what takes time: some of those that changed, and one of the others, another one with each step.
      const present = paths.filter((path) => this.#given.has(path))
      const asked = [
        ...changed.slice(0, READ_ANEW),
        ...present.slice(this.#steps % (present.length + 1)).slice(0, 1),
      ]
      await Promise.all(
        [this.#lasting, anew].flatMap((service) => asked.map((path) => this.#askNewly(service, path))),
      )
    } finally {
      await anew.close()
    }
  }

  /** Asks for a list as one who has nothing of it. */
  async #askNewly(service: Service, path: string): Promise<void> {
    const { status, etag } = await this.#ask(service, path, null)
    requireEqual(
      [status, etag],
      [200, this.#given.get(path)?.etag],
      `${path} as it is served to a new client`,
    )
  }

  /** Asks for every list with what the client has of it. @returns the lists that are there and were not as it had them */
  async #askAll(service: Service, paths: readonly string[], expected: Expected): Promise<readonly string[]> {
    const answers = await Promise.all(
      paths.map((path) => this.#ask(service, path, this.#given.get(path)?.etag ?? null)),
    )
    return answers.flatMap((answer, place) => {
      const path = paths[place] ?? ''
      const wanted = expected.get(path)
      if (typeof wanted === 'number') {
        requireEqual(answer.status, wanted, `${path} as it is served`)
        this.#given.delete(path)
        return []
      }
      const had = this.#given.get(path)
      const got = answer.status === 304 ? had : answer
      require(got !== undefined &&
        [200, 304].includes(answer.status), `${path} is answered with ${answer.status}`)
      if (got === undefined) return []
      if (canonical(meant(got.body)) !== wanted)
        requireEqual(meant(got.body), meant(wanted ?? ''), `${path} as it is served (${answer.status})`)
      this.#given.set(path, got)
      return answer.status === 200 ? [path] : []
    })
  }

  async #ask(service: Service, path: string, etag: string | null): Promise<Answer> {
    const headers = { 'X-API-Key': KEY, ...(etag !== null && { 'If-None-Match': etag }) }
    const answer = await service.fetch(new Request(`http://mirror/api/v1${path}`, { headers }))
    const got = { status: answer.status, etag: answer.headers.get('etag') ?? '', body: await answer.text() }
    if (got.status !== 200) return got
    require(got.etag !== '', `${path} is served without an entity-tag`)
    const form = `${path} ${got.etag}`
    require((this.#sent.get(form) ?? got.body) === got.body, `${path} is served as two texts under one tag`)
    this.#sent.set(form, got.body)
    return got
  }

  #begin(): Service {
    return createService(this.#lent.option)
  }

  async #makeKey(): Promise<void> {
    if (this.#hasKey) return
    await this.#engine.ask(
      `insert into headcount.api_keys (account_id, sha256, last_used_on)
       select id, '${hash('sha256', KEY)}', (now() at time zone 'UTC')::date from headcount.accounts`,
    )
    this.#hasKey = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lasting.close()
    await this.#lent[Symbol.asyncDispose]()
  }
}

/** By path: the list as canonical text, or the status by which it is told that there is none. */
type Expected = ReadonlyMap<string, string | number>

const NOT_MIRRORED = 503
const UNKNOWN = 404

function expectedOf(mirror: Seen['mirror']): Expected {
  const live = [...mirror].filter(([, { record }]) => record !== null)
  const events = live
    .toSorted(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .flatMap(([, { record }]) => (record === null ? [] : eventText(record)))
  const expected = new Map<string, string | number>([
    ['/events', wasRead(mirror.get(LIST)) ? listOf(events) : NOT_MIRRORED],
  ])
  for (const [id, unit] of mirror) {
    if (id === LIST) continue
    expected.set(`/events/${encodeURIComponent(id)}/responses`, responsesOf(unit))
  }
  return expected
}

function responsesOf(unit: Unit): string | number {
  if (unit.record === null) return UNKNOWN
  if (!wasRead(unit)) return NOT_MIRRORED
  const rows = [...unit.responses.values()].toSorted((one, other) =>
    Number(BigInt(one.id) - BigInt(other.id)),
  )
  return listOf(rows.map(responseText))
}

function wasRead(unit: Unit | undefined): boolean {
  return unit?.facts?.checkedAt != null
}

function listOf(texts: readonly string[]): string {
  return `[${texts.join(',')}]`
}
