/**
 * The bodies of an account as files, which a web server can send as they are:
 *
 *     <folder>/ping.json, events.json
 *     <folder>/original/<event>.json    every list
 *     <folder>/<version>/<event>.json   only the lists that differ from the original's
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf, startDigests } from './equality.ts'
import type { Digests, ResponseLines } from './equality.ts'
import { createAccount, edit } from './account.ts'
import type { Account, AccountShape, SentEvent, SentResponse } from './account.ts'
import { openList } from './list-file.ts'
import { fatesIn } from './versions.ts'
import type { Version } from './versions.ts'

/** What is to be made of an account. */
export interface Wanted {
  readonly folder: string
  readonly shape: AccountShape
  /** The original must be among them. */
  readonly versions: readonly Version[]
}

/** What is served of one version. */
export interface Served {
  /** Of all bodies that a run over every event reads. */
  readonly bytes: number
  /** What a mirror of it must hold. */
  readonly digests: Digests
}

export type Site = Readonly<Partial<Record<Version, Served>>>

const PING = '{"email":"owner@example.org"}'
/** Responses in hand at a time: a list of a million never stands in memory as a whole. */
const RESPONSES_PER_PIECE = 1000

/** Writes the bodies of some versions of an account into a folder. */
export function writeSite({ folder, shape, versions }: Wanted): Site {
  mkdirSync(folder, { recursive: true })
  const account = createAccount(shape)
  const events = Array.from({ length: shape.events }, (_, place) => account.event(place))
  const list = JSON.stringify(events)
  writeFileSync(join(folder, 'ping.json'), PING)
  writeFileSync(join(folder, 'events.json'), list)
  const written = versions.map((version) => ({
    version,
    digests: startDigests(),
    bytes: PING.length + Buffer.byteLength(list),
  }))
  for (const version of versions) mkdirSync(join(folder, version))
  for (const [place, event] of events.entries()) {
    for (const { digests } of written) digests.addEvent(event)
    const sizes = writeLists(folder, account, place, event, written)
    for (const one of written) one.bytes += sizes.get(one.version) ?? sizes.get('original') ?? 0
  }
  return Object.fromEntries(
    written.map(({ version, bytes, digests }) => [version, { bytes, digests: digests.end() }]),
  )
}

/** A response as it is sent, with the rows it becomes. */
interface Made {
  readonly text: string
  readonly lines: ResponseLines
}

/** Writes the list of an event in all versions in which it differs; gives the bytes of each list written. */
function writeLists(
  folder: string,
  account: Account,
  place: number,
  event: SentEvent,
  versions: readonly { readonly version: Version; readonly digests: ReturnType<typeof startDigests> }[],
): ReadonlyMap<Version, number> {
  const make = (response: SentResponse): Made => ({
    text: JSON.stringify(response),
    lines: linesOf(event, response),
  })
  const lists = versions.map(({ version, digests }) => {
    const fateOf = fatesIn(version, account.shape, place)
    const isWritten = version === 'original' || fateOf !== null
    const file = isWritten ? openList(join(folder, version, `${event.id}.json`)) : null
    return { version, digests, fateOf, file }
  })
  let index = 0
  for (const responses of pieces(account.responses(place), RESPONSES_PER_PIECE)) {
    const originals = responses.map(make)
    for (const { digests, fateOf, file } of lists) {
      const made =
        fateOf === null
          ? originals
          : originals.flatMap((original, at) => {
              const fate = fateOf(index + at)
              if (fate === 'same') return original
              const response = responses[at]
              return fate === 'deleted' || response === undefined ? [] : make(edit(response))
            })
      digests.addResponses(made.map(({ lines }) => lines))
      file?.write(made.map(({ text }) => text))
    }
    index += responses.length
  }
  return new Map(lists.flatMap(({ version, file }) => (file ? [[version, file.end()]] : [])))
}

function* pieces<T>(items: Iterable<T>, size: number): Generator<readonly T[]> {
  let piece: T[] = []
  for (const item of items) {
    piece.push(item)
    if (piece.length < size) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

// In a process of its own, told what is wanted as JSON: the making of large accounts shall not weigh on the bench's.
if (import.meta.main) {
  const wanted = JSON.parse(process.argv[2] ?? '') as readonly Wanted[]
  process.stdout.write(JSON.stringify(wanted.map(writeSite)))
}
