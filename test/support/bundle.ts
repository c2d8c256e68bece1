import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleCommand } from '../../build/command.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The command line as users get it: it starts in half of the time that its sources take. */
    readonly command: string
  }
}

const repository = join(import.meta.dirname, '../..')

/** Below node_modules, where it finds PGlite, with the package.json that has its version. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const folder = join(repository, 'node_modules/.cache', `headcount-test-${process.pid}`)
  const command = join(folder, 'dist/command')
  await mkdir(folder, { recursive: true })
  await copyFile(join(repository, 'package.json'), join(folder, 'package.json'))
  await bundleCommand(command)
  project.provide('command', join(command, 'cli.cjs'))
  return () => rm(folder, { recursive: true, force: true })
}
