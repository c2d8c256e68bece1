/** The service as one run meets it: honest about the account but for the faults that the run's plan names. */
import { createHash } from 'node:crypto'
import { send, startFaultServer } from '../../support/http/fault-server.ts'
import type { FaultServer, SeenRequest, Step } from '../../support/http/fault-server.ts'
import type { Account } from '../account/account.ts'
import { chanceOf } from '../account/chance.ts'
import { failures, ways } from './faults.ts'
import type { Failure, Lie, Meaning, Shift, Sign, Way } from './faults.ts'
import { move, slide } from '../account/moves.ts'
import { idOf } from '../account/items.ts'
import type { EventItem, ResponseItem } from '../account/items.ts'

/** `ping`, `events`, `again` (the event list read once more), or an event's id behind a slash, or behind `again/`. */
export type Subject = 'ping' | 'events' | 'again' | `/${string}` | `again/${string}`

export interface Trouble {
  /** By attempt, from 1; attempts that are not named are answered. */
  readonly failures: ReadonlyMap<number, Failure>
  readonly way: Way
  readonly lie: Lie
  /** The account moves on just before the first answer, by chance of this seed. */
  readonly moves: number | null
  /** A list in pages changes between two of them. */
  readonly shift: readonly [Shift, number] | null
}

/** One request, as the service heard and answered it. */
export interface Heard {
  readonly subject: Subject
  /** `same`: not modified since the validator that it asked with. */
  readonly end: Meaning | 'answered' | 'same'
  readonly items: readonly (ResponseItem | EventItem)[]
  readonly sign: Sign | null
  /** How many there are of them. */
  readonly pages: number
  /** Items on the first page: the same items on other pages are another list. */
  readonly onFirst: number
  readonly email: string | null
  /** The validator that came with it, and the one that was asked with. */
  readonly etag: string | null
  readonly askedWith: string | null
}

/** What happens between the service and one run. */
export interface Episode {
  readonly account: Account
  readonly troubles: ReadonlyMap<Subject, Trouble>
  /** From then on the key is refused. */
  readonly refusedFrom: Subject | null
  readonly onRequest?: (subject: Subject) => void | Promise<void>
  readonly heard: Heard[]
  readonly moved: string[]
}

export interface Service extends AsyncDisposable {
  readonly baseUrl: string
  /** What runs with this key meet; a key without an episode is refused. */
  readonly episodes: Map<string, Episode>
}

export async function startService(): Promise<Service> {
  const server: FaultServer = await startFaultServer()
  const episodes = new Map<string, Episode>()
  const rests = new Map<string, readonly string[]>()
  server.always(async (socket, request) => {
    const episode = episodes.get(request.headers['x-api-key'] ?? '')
    const step = episode === undefined ? failures.s401[1]() : await answer(episode, request, rests)
    await step(socket, request)
  })
  return {
    baseUrl: server.baseUrl.href,
    episodes,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function answer(
  episode: Episode,
  request: SeenRequest,
  rests: Map<string, readonly string[]>,
): Promise<Step> {
  const rest = rests.get(request.path)
  if (rest !== undefined) return send({ body: `[${rest.join(',')}]` })
  const { account, heard, troubles } = episode
  const subject = subjectOf(request.path, heard)
  const attempt = heard.filter((other) => other.subject === subject).length + 1
  const trouble = troubles.get(subject)
  const pages = trouble?.way === 'pages' ? 2 : 1
  const askedWith = request.headers['if-none-match'] ?? null
  const hear = (
    end: Heard['end'],
    items: Heard['items'] = [],
    sign: Sign | null = null,
    etag: string | null = null,
    onFirst = items.length,
  ) => {
    // A copy: the account may move on while the run is still reading.
    const answer = { subject, end, items: [...items], sign, pages, onFirst }
    heard.push({ ...answer, email: account.email, etag, askedWith })
  }
  if (trouble?.moves != null && attempt === 1) {
    const chance = chanceOf(trouble.moves)
    episode.moved.push(move(account, chance), move(account, chance))
  }
  await episode.onRequest?.(subject)
  const isRefused = episode.refusedFrom === subject || heard.at(-1)?.end === 'refused'
  if (episode.refusedFrom !== null && isRefused) {
    hear('refused')
    return failures.s401[1]()
  }
  const items = itemsOf(account, subject)
  const texts = items?.map(({ text }) => text) ?? []
  const body =
    subject === 'ping'
      ? JSON.stringify(account.email === null ? {} : { email: account.email })
      : `[${texts.join(',')}]`
  const failure = trouble?.failures.get(attempt)
  if (failure !== undefined) {
    const [meaning, step] = failures[failure]
    hear(meaning)
    return step(body)
  }
  if (items === null) {
    hear('missing')
    return failures.s404[1]()
  }
  const told = lieAbout(items, trouble)
  const way = subject === 'ping' ? 'plain' : (trouble?.way ?? 'plain')
  const [sign, step] = ways[way]
  const etag = subject === 'ping' || way === 'pages' ? null : etagOf(account, told)
  if (etag !== null && etag === askedWith) {
    hear('same')
    return send({ status: 304, headers: { ETag: etag } })
  }
  if (way === 'pages') {
    const middle = Math.ceil(told.length / 2)
    const first = told.slice(0, middle)
    if (trouble?.shift != null) episode.moved.push(shiftBy(account, subject, trouble.shift))
    // Nobody can tell whether it changed before the next page was asked for, or as soon as this one was answered.
    const rest = lieAbout(itemsOf(account, subject) ?? [], trouble).slice(middle)
    hear('answered', [...first, ...rest], sign, etag, first.length)
    const next = `${request.path}?page=2&of=${rests.size}`
    rests.set(
      next,
      rest.map(({ text }) => text),
    )
    const texts = first.map(({ text }) => text)
    return send({ body: `[${texts.join(',')}]`, headers: { Link: `<${next}>; rel="next"` } })
  }
  hear('answered', told, sign, etag)
  if (subject === 'ping') return step(body, {})
  return step(`[${told.map(({ text }) => text).join(',')}]`, etag === null ? {} : { ETag: etag })
}

function shiftBy(account: Account, subject: Subject, [shift, seed]: readonly [Shift, number]): string {
  return slide(account, idIn(subject), shift, chanceOf(seed))
}

function subjectOf(path: string, heard: readonly Heard[]): Subject {
  const [, , , first, id] = path.split('/')
  if (first === 'ping') return 'ping'
  if (id !== undefined) {
    const event = `/${decodeURIComponent(id)}` as const
    const wasAnswered = ({ subject, end }: Heard) =>
      subject === event && (end === 'answered' || end === 'same')
    return heard.some(wasAnswered) ? `again${event}` : event
  }
  return heard.some(({ subject, end }) => subject === 'events' && end === 'answered') ? 'again' : 'events'
}

function itemsOf(account: Account, subject: Subject): readonly (ResponseItem | EventItem)[] | null {
  if (subject === 'ping') return []
  if (subject === 'events' || subject === 'again') return account.events.map(({ item }) => item)
  return account.events.find(({ item }) => idOf(item) === idIn(subject))?.responses ?? null
}

/** The event whose responses are asked for; null when it is another list. */
function idIn(subject: Subject): string | null {
  const at = subject.indexOf('/')
  return at < 0 ? null : subject.slice(at + 1)
}

/** A true validator changes with the list; a stuck one never does. */
function etagOf({ validators }: Account, items: Heard['items']): string | null {
  if (validators === 'none') return null
  if (validators === 'stuck') return 'W/"stuck"'
  return `"${createHash('sha256')
    .update(items.map(({ text }) => text).join(','))
    .digest('hex')}"`
}

function lieAbout<T>(items: readonly T[], trouble: Trouble | undefined): readonly T[] {
  if (trouble?.lie === 'half') return items.slice(0, Math.floor(items.length / 2))
  if (trouble?.lie === 'nothing') return []
  if (trouble?.lie === 'page' && items.length > 50) return items.slice(0, 50)
  if (trouble?.lie === 'without_last') return items.slice(0, -1)
  if (trouble?.lie === 'shuffled') return items.toReversed()
  return items
}
