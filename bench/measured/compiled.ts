import { copyFile, cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCommand } from '../../build/command.ts'
import { runProcess } from './process.ts'

/** headcount as users run it, the floors and the scripts of the peers: compiled, in a folder of their own. */
export interface Compiled {
  /** The entry of the command line. */
  readonly command: string
  /** The entry of the floors. */
  readonly floors: string
  /** The server that is a floor. */
  readonly constantServer: string
  /** The folder of the scripts. */
  readonly scripts: string
  readonly tellCost: string
}

/** Inside a folder of profiles; hidden, so that `profiles/*` are the profiles. */
export const MAPS = '.maps'

const repository = join(import.meta.dirname, '../..')

/**
 * Compiles into a folder, as the package is made: neither we nor the floors shall pay for types that are stripped at
 * each start. What Node compiled is kept there from the first run on, as with users.
 *
 * @param profiles a folder of CPU profiles, which gets what they are read with: the maps of the bundle
 */
export async function compile(folder: string, profiles: string | null = null): Promise<Compiled> {
  const dist = join(folder, 'dist')
  const config = join(import.meta.dirname, 'compiled.tsconfig.json')
  await runProcess([join(repository, 'node_modules/typescript/bin/tsc'), '-p', config, '--outDir', dist])
  const command = join(dist, 'command')
  await bundleCommand(command, { sourcemap: profiles !== null })
  if (profiles !== null) await cp(command, join(profiles, MAPS), { recursive: true, filter: isFolderOrMap })
  await mkdir(join(folder, 'src'))
  await copyFile(join(repository, 'src/headcount.cjs'), join(folder, 'src/headcount.cjs'))
  await copyFile(join(repository, 'package.json'), join(folder, 'package.json'))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  return {
    command: join(folder, 'src/headcount.cjs'),
    floors: join(dist, 'bench/floors/main.js'),
    constantServer: join(dist, 'bench/floors/constant-server.js'),
    scripts: join(dist, 'bench/peers/scripts'),
    tellCost: join(dist, 'bench/measured/tell-cost.js'),
  }
}

function isFolderOrMap(path: string): boolean {
  return path.endsWith('/command') || path.endsWith('.map')
}
