import { join } from 'node:path'
import type { Compiled } from '../../measured/compiled.ts'
import type { Way } from '../../service/response-modes.ts'
import type { Command } from './process-tree.ts'

/** An account that peers are measured on: all events, or the first tenth of them. */
export type Size = 'whole' | 'tenth'
export const sizes: readonly Size[] = ['whole', 'tenth']

/** Where and with what a peer runs. */
export interface Place {
  readonly base: string
  readonly url: string
  readonly compiled: Compiled
  /** The Python that has the peer's packages; empty for a peer that needs none. */
  readonly python: string
  /** For what the peer keeps between its runs. */
  readonly state: string
}

export interface Packages {
  /** Below bench/studies/peers, with their requirements.txt. */
  readonly folder: 'dlt' | 'singer'
  readonly names: readonly string[]
}

/** One way of mirroring the account, as a row of the table. */
export interface Peer {
  readonly name: string
  readonly what: string
  /** Measured on these when nothing else is asked for: the slow ones on a tenth. */
  readonly sizes: readonly Size[]
  readonly way: Way
  /** The Python packages that it needs, of which the table names the versions; null: none. */
  readonly packages: Packages | null
  /** What its user writes and keeps, below bench/studies/peers. */
  readonly files: readonly string[]
  /** What shows its tables as the service's rows, below bench/studies/peers. */
  readonly rows: string
  readonly command: (place: Place) => Command
}

const KEY = 'bench'
const room = import.meta.dirname

/** In the order of the table and of the runs. */
export const peers: readonly Peer[] = [
  headcount('headcount', 'headcount', 'plain'),
  { ...headcount('headcount-etag', 'headcount, a service with ETag', 'etag'), sizes: ['whole'] },
  {
    ...script('better', 'script: 8 lists at a time, one upsert an event'),
    sizes: ['whole'],
  },
  script('naive', 'script: one upsert a row, pool of 8'),
  dlt('dlt', 'dlt: merge by delete-insert, insert_values', ['delete-insert', 'insert_values'], 'child'),
  dlt('dlt-csv', 'dlt: merge by delete-insert, csv', ['delete-insert', 'csv'], 'child'),
  dlt('dlt-cdc', 'dlt: merge by cdc, slots as JSON, insert_values', ['cdc', 'insert_values'], 'column'),
  {
    name: 'singer',
    what: 'Singer: tap on the SDK, target-postgres with COPY',
    sizes: ['tenth'],
    way: 'plain',
    packages: { folder: 'singer', names: ['singer-sdk', 'meltanolabs-target-postgres'] },
    files: ['singer/tap.py', 'singer/target.json'],
    rows: 'singer/rows.sql',
    command: singer,
  },
]

export const peerNames = peers.map(({ name }) => name)

function headcount(name: string, what: string, way: Peer['way']): Peer {
  return {
    name,
    what,
    sizes: ['whole', 'tenth'],
    way,
    packages: null,
    files: [],
    rows: 'headcount.sql',
    command: ({ compiled, base, url }) => ({
      args: [process.execPath, compiled.command, 'sync', '--all', '--json', '--quiet'],
      env: { HEADCOUNT_BASE_URL: base, HEADCOUNT_API_KEY: KEY, DATABASE_URL: url },
    }),
  }
}

function script(name: 'better' | 'naive', what: string): Peer {
  return {
    name,
    what,
    sizes: ['tenth'],
    way: 'plain',
    packages: null,
    files: [`scripts/${name}.ts`],
    rows: 'scripts/rows.sql',
    command: (place) => ({
      args: [process.execPath, join(place.compiled.dist, `bench/studies/peers/scripts/${name}.js`)],
      env: environment(place),
    }),
  }
}

function dlt(name: string, what: string, args: readonly string[], slots: 'child' | 'column'): Peer {
  return {
    name,
    what,
    sizes: ['tenth'],
    way: 'plain',
    packages: { folder: 'dlt', names: ['dlt'] },
    files: ['dlt/pipeline.py'],
    rows: `dlt/rows-${slots}.sql`,
    command: (place) => ({
      args: [place.python, join(room, 'dlt/pipeline.py'), ...args],
      env: environment(place),
    }),
  }
}

/**
 * The tap writes what it read into the target: two processes at a time, as their users run them. A tap that failed must
 * not look like one that came to its end: then the target is given what it cannot read.
 */
function singer(place: Place): Command {
  const { hostname, port, username, password, pathname } = new URL(place.url)
  const settings = {
    TAP_ACCOUNT_SERVICE_URL: place.base,
    TAP_ACCOUNT_SERVICE_KEY: KEY,
    TARGET_POSTGRES_HOST: hostname,
    TARGET_POSTGRES_PORT: port,
    TARGET_POSTGRES_USER: username,
    TARGET_POSTGRES_PASSWORD: password,
    TARGET_POSTGRES_DATABASE: pathname.slice(1),
  }
  const pipe = '{ "$1" "$2" --config=ENV || echo failed; } | "$3" --config "$4" --config=ENV'
  const tap = join(room, 'singer/tap.py')
  const target = join(place.python, '../target-postgres')
  return {
    args: ['/bin/sh', '-c', pipe, 'sh', place.python, tap, target, join(room, 'singer/target.json')],
    env: { ...environment(place), ...settings },
  }
}

function environment({ base, url, state }: Place): Readonly<Record<string, string>> {
  return { SERVICE_URL: base, SERVICE_KEY: KEY, DATABASE_URL: url, STATE_FOLDER: state, HOME: state }
}
