import { drawPairs } from '../../../src/commands/output/format/table.ts'
import { chosen, count } from '../../../test/support/commands/program.ts'
import type { Values } from '../../../test/support/commands/program.ts'
import { sizes } from './peers.ts'
import type { Peer, Size } from './peers.ts'
import { peerNames, peers } from './peers.ts'

export interface Options {
  readonly events: number
  readonly responses: number
  /** Each with the sizes that it is measured on. */
  readonly peers: readonly Peer[]
  readonly repeat: number
  readonly limitMs: number
  /** Where the packages of the peers stay installed. */
  readonly folder: string
  /** The document to write the table into, between its marks; null: none. */
  readonly write: string | null
}

export const help = `npm run bench:peers -- [options]

  --events N           events of the whole account, from 10 (10000)
  --responses N        responses to each event (100)
  --peer NAME          one of those below; may be given more than once (all)
  --size [NAME=]SIZE   another size for a peer, or for all: whole, or tenth (of the events); may be given more than once
  --repeat N           rounds, each with floors before and after; the slow peers (tenth) only in the first (1)
  --limit MINUTES      what all runs of a peer may take together, then it is ended (15)
  --folder DIR         where the packages of the peers are installed (node_modules/.cache/peers)
  --write FILE         write the table into a document too, between <!-- peers:begin --> and <!-- peers:end -->

Peers:

${drawPairs(
  { width: null },
  peers.map(({ name, what, sizes }) => [name, `${what} (${sizes.join(', ')})`]),
)}
Progress goes to stderr, the table to stdout. See docs/performance.md.
`

export const declared = {
  events: { type: 'string', default: '10000' },
  responses: { type: 'string', default: '100' },
  peer: { type: 'string', multiple: true },
  size: { type: 'string', multiple: true },
  repeat: { type: 'string', default: '1' },
  limit: { type: 'string', default: '15' },
  folder: { type: 'string', default: 'node_modules/.cache/peers' },
  write: { type: 'string' },
} as const

/** @throws ArgumentError naming the argument */
export function optionsOf(values: Values<typeof declared>): Options {
  const names = chosen('peer', values.peer, peerNames)
  const wished = new Map(values.size?.flatMap(readSize))
  return {
    events: count('events', values.events, 10),
    responses: count('responses', values.responses),
    peers: peers
      .filter(({ name }) => names.includes(name))
      .map((peer) => ({ ...peer, sizes: wished.get(peer.name) ?? peer.sizes })),
    repeat: count('repeat', values.repeat),
    limitMs: count('limit', values.limit) * 60_000,
    folder: values.folder,
    write: values.write ?? null,
  }
}

/** `NAME=SIZE`, or `SIZE` for all. */
function readSize(text: string): readonly (readonly [name: string, sizes: readonly Size[]])[] {
  const [size = '', name] = text.split('=').toReversed()
  const wished = chosen('size', [size], sizes)
  return chosen('size', name === undefined ? undefined : [name], peerNames).map((peer) => [peer, wished])
}
