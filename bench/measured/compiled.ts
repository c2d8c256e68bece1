import { copyFile, cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCommand } from '../../build/command.ts'
import { runProcess } from './process.ts'

/** headcount as users run it, and the floors: compiled, in a folder of their own. */
export interface Compiled {
  /** The entry of the command line. */
  readonly command: string
  /** The entry of the floors. */
  readonly floors: string
  /** The server that is a floor. */
  readonly constantServer: string
  readonly reportCost: string
  /** The folder of all that was compiled; files stand there as in the repository. */
  readonly dist: string
}

/** Inside a folder of profiles; hidden, so that `profiles/*` are the profiles. */
export const MAPS = '.maps'

const repository = join(import.meta.dirname, '../..')

/** The file that README's command runs, for the tables. */
export const MEASURED = 'src/headcount.cjs, which `npx --no -- headcount` runs'

/**
 * Brings the build of the checkout up to date, whose command is measured, and compiles the floors into a folder: they shall not
 * pay for types that are stripped at each start. What Node compiled is kept from the first run on, as with users.
 *
 * @param profiles a folder of CPU profiles: then the command is one with the maps that they are read with
 * @param config what is compiled: the floors, and perhaps more
 */
export async function compile(
  folder: string,
  profiles: string | null = null,
  config = join(import.meta.dirname, 'compiled.tsconfig.json'),
): Promise<Compiled> {
  const dist = join(folder, 'dist')
  await runProcess([join(repository, 'node_modules/typescript/bin/tsc'), '-p', config, '--outDir', dist])
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  await copyFile(join(repository, 'package.json'), join(folder, 'package.json'))
  return {
    command: profiles === null ? await builtCommand() : await commandWithMaps(folder, profiles),
    floors: join(dist, 'bench/floors/main.js'),
    constantServer: join(dist, 'bench/floors/constant-server.js'),
    reportCost: join(dist, 'bench/measured/report-cost.js'),
    dist,
  }
}

async function builtCommand(): Promise<string> {
  await runProcess([join(repository, 'build/prepare.cjs')])
  return join(repository, 'src/headcount.cjs')
}

async function commandWithMaps(folder: string, profiles: string): Promise<string> {
  const command = join(folder, 'dist/command')
  await bundleCommand(command, { sourcemap: true })
  await cp(command, join(profiles, MAPS), { recursive: true, filter: isFolderOrMap })
  await mkdir(join(folder, 'src'))
  await copyFile(join(repository, 'src/headcount.cjs'), join(folder, 'src/headcount.cjs'))
  return join(folder, 'src/headcount.cjs')
}

function isFolderOrMap(path: string): boolean {
  return path.endsWith('/command') || path.endsWith('.map')
}
