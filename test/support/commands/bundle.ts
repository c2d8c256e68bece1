import { copyFile, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleCommand } from '../../../build/command.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line as users get it: it starts in half of the time that its sources take. */
    readonly command: string
  }
}

const repository = join(import.meta.dirname, '../../..')

/** As `npm install -g` lays it out, so that help and hints say `headcount`, with PGlite beside it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const prefix = await mkdtemp(join(tmpdir(), 'headcount-test-bundle-'))
  const packages = join(prefix, 'lib/node_modules')
  const folder = join(packages, 'headcount')
  await mkdir(folder, { recursive: true })
  await symlink(join(repository, 'node_modules/@electric-sql'), join(packages, '@electric-sql'))
  await mkdir(join(folder, 'src'))
  for (const path of ['package.json', 'src/headcount.cjs']) {
    await copyFile(join(repository, path), join(folder, path))
  }
  await bundleCommand(join(folder, 'dist/command'))
  project.provide('command', join(folder, 'src/headcount.cjs'))
  return () => rm(prefix, { recursive: true, force: true })
}
