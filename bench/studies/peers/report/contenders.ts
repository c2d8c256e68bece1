import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Peer } from '../peers.ts'

const room = join(import.meta.dirname, '..')

/** A row of the table before its peer was measured. */
export interface Contender {
  readonly peer: Peer
  /** With the version, where it is a package. */
  readonly title: string
  readonly lines: number
}

/** A peer as a row of the table. */
export async function contend(peer: Peer): Promise<Contender> {
  const { what, packages, files } = peer
  const lines = await countLines(files.map((file) => join(room, file)))
  if (packages === null) return { peer, title: what, lines }
  const requirements = requirementsOf(packages.folder)
  const versions = packages.names.map(async (name) => `${name} ${await versionIn(requirements, name)}`)
  return { peer, title: `${what} (${(await Promise.all(versions)).join(', ')})`, lines }
}

/** What pip installs for the peers of a folder. */
export function requirementsOf(folder: string): string {
  return join(room, folder, 'requirements.txt')
}

/** Lines of what a user writes; blank ones and those that are only a comment are not counted. */
async function countLines(files: readonly string[]): Promise<number> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const lines = texts.flatMap((text) => text.replaceAll(/^"""[^]*?"""/g, '').split('\n'))
  return lines.filter((line) => !/^\s*(?:#|\/\/|\/\*\*|$)/.test(line)).length
}

/** The version that a requirements file names of a package. */
async function versionIn(requirements: string, name: string): Promise<string> {
  const [, version = ''] = new RegExp(`^${name}==(.+)$`, 'm').exec(await readFile(requirements, 'utf8')) ?? []
  return version
}
