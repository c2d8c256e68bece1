/**
 * The bodies of an account as files, which a web server can send as they are:
 *
 *     <folder>/ping.json, events.json
 *     <folder>/original/<event>.json    every list
 *     <folder>/<version>/<event>.json   only the lists that differ from the original's
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { startDigests } from '../equality.ts'
import type { Digests } from '../equality.ts'
import { createAccount } from './account.ts'
import type { Account, AccountShape, SentEvent, SentResponse } from './account.ts'
import { fatesIn } from './versions.ts'
import type { Version } from './versions.ts'

/** What is to be made of an account. */
export interface Wanted {
  readonly folder: string
  readonly shape: AccountShape
  /** The original must be the first of them. */
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
/** Items made into text at a time: a list of a million never stands in memory as a whole. */
const ITEMS_PER_PIECE = 1000

/** Writes the bodies of some versions of an account into a folder. */
export function writeSite({ folder, shape, versions }: Wanted): Site {
  mkdirSync(folder, { recursive: true })
  const account = createAccount(shape)
  writeFileSync(join(folder, 'ping.json'), PING)
  const events = Array.from({ length: shape.events }, (_, place) => account.event(place))
  const list = JSON.stringify(events)
  writeFileSync(join(folder, 'events.json'), list)
  const bytes = PING.length + Buffer.byteLength(list)
  const originals: number[] = []
  return Object.fromEntries(
    versions.map((version) => [
      version,
      writeVersion(join(folder, version), { account, version, originals, bytes }),
    ]),
  )
}

interface Writing {
  readonly account: Account
  readonly version: Version
  /** Bytes of the original lists, by the place of their event. */
  readonly originals: number[]
  /** Bytes of what is the same in every version. */
  readonly bytes: number
}

function writeVersion(folder: string, { account, version, originals, bytes }: Writing): Served {
  mkdirSync(folder)
  const digests = startDigests()
  let sum = bytes
  for (let place = 0; place < account.shape.events; place++) {
    const event = account.event(place)
    digests.addEvent(event)
    const responses = noting(account.responses(place, version), (response) =>
      digests.addResponse(event, response),
    )
    if (version === 'original') {
      const written = writeList(folder, event, responses)
      originals[place] = written
      sum += written
    } else if (fatesIn(version, account.shape, place) !== null) {
      sum += writeList(folder, event, responses)
    } else {
      for (const _ of responses);
      sum += originals[place] ?? 0
    }
  }
  return { bytes: sum, digests: digests.end() }
}

function* noting<T>(items: Iterable<T>, note: (item: T) => void): Generator<T> {
  for (const item of items) {
    note(item)
    yield item
  }
}

/** Returns the bytes of the list. */
function writeList(folder: string, event: SentEvent, responses: Iterable<SentResponse>): number {
  const file = openSync(join(folder, `${event.id}.json`), 'w')
  let bytes = 0
  let texts: string[] = []
  const write = (text: string): void => {
    const piece = Buffer.from(text)
    for (let written = 0; written < piece.length;) written += writeSync(file, piece, written)
    bytes += piece.length
  }
  let before = '['
  const flush = (): void => {
    if (texts.length > 0) write(before + texts.join(','))
    if (texts.length > 0) before = ','
    texts = []
  }
  try {
    for (const response of responses) {
      texts.push(JSON.stringify(response))
      if (texts.length === ITEMS_PER_PIECE) flush()
    }
    flush()
    write(before === '[' ? '[]' : ']')
  } finally {
    closeSync(file)
  }
  return bytes
}

// In a process of its own, told what is wanted as JSON: the making of large accounts shall not weigh on the bench's.
if (import.meta.main) {
  const wanted = JSON.parse(process.argv[2] ?? '') as readonly Wanted[]
  process.stdout.write(JSON.stringify(wanted.map(writeSite)))
}
