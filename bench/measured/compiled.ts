import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleCommand } from '../../build/command.ts'
import { runProcess } from './process.ts'

/** headcount as users run it, the floors and the scripts of the peers: compiled, in a folder of their own. */
export interface Compiled {
  /** The entry of the command line. */
  readonly command: string
  /** The entry of the floors. */
  readonly floors: string
  /** The folder of the scripts. */
  readonly scripts: string
  readonly tellCost: string
}

const repository = join(import.meta.dirname, '../..')

/**
 * Compiles into a folder, as the package is made: neither we nor the floors shall pay for types that are stripped at
 * each start. What Node compiled is kept there from the first run on, as with users.
 */
export async function compile(folder: string): Promise<Compiled> {
  const dist = join(folder, 'dist')
  const config = join(import.meta.dirname, 'compiled.tsconfig.json')
  await runProcess([join(repository, 'node_modules/typescript/bin/tsc'), '-p', config, '--outDir', dist])
  await bundleCommand(join(dist, 'command'))
  await mkdir(join(folder, 'src'))
  await copyFile(join(repository, 'src/headcount.cjs'), join(folder, 'src/headcount.cjs'))
  await copyFile(join(repository, 'package.json'), join(folder, 'package.json'))
  await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'))
  return {
    command: join(folder, 'src/headcount.cjs'),
    floors: join(dist, 'bench/floors/main.js'),
    scripts: join(dist, 'bench/peers/scripts'),
    tellCost: join(dist, 'bench/measured/tell-cost.js'),
  }
}
