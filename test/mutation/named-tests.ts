/**
 * Compares the tests that ran with those that guards name. It costs nothing, and each run tells of its own files: only a run knows the
 * names that tests really have, for many are made of values and of loops.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'
import { guards } from './guards.ts'
import type { Guard } from './guards/guard.ts'

/** Names of tests, by their file from the root. Those of a file that could not be loaded are unknown, and it is left out. */
export type TestNames = ReadonlyMap<string, readonly string[]>

/** What the table of docs/reliability.md and the list of guards name in these files, and is not there. */
export function missingNames(table: string, list: readonly Guard[], names: TestNames): readonly string[] {
  const inTable = [...table.matchAll(/^\| (.+?) \| .* \| (.+) \(`([\w./-]+\.test\.ts)`\) \|$/gm)]
  const ofTable = inTable
    .filter(([, , name = '', file]) => {
      const known = names.get(`test/${file}`)
      return known !== undefined && !known.includes(name.replaceAll('\\|', '|'))
    })
    .map(([, guard, name, file]) => `docs/reliability.md, "${guard}": test/${file} has no test "${name}"`)
  const ofList = list
    .filter(({ tests, only = '' }) => {
      const pattern = new RegExp(only)
      return tests.every((file) => names.get(file)?.some((name) => pattern.test(name)) === false)
    })
    .map(({ name, tests, only }) => `test/mutation/guards, "${name}": ${tests.join()} has no test /${only}/`)
  return [...ofTable, ...ofList]
}

/** Ends a run of tests with 1 where a guard names a test of theirs that is not there. */
export class NamedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const root = join(import.meta.dirname, '../..')
    const names = new Map(
      modules
        .filter((module) => module.errors().length === 0)
        .map((module) => [relative(root, module.moduleId), namesOf(module)]),
    )
    const table = readFileSync(join(root, 'docs/reliability.md'), 'utf8')
    const missing = missingNames(table, guards, names)
    if (missing.length === 0) return
    process.stderr.write(`\nGuards name tests that are not there:\n  ${missing.join('\n  ')}\n`)
    process.exitCode = 1
  }
}

/** As the reporter of `npm run mutants` has them: with the names of what they stand in. */
function namesOf(module: TestModule): string[] {
  return [...module.children.allTests()].map((test) => {
    const parts = [test.name]
    for (let parent = test.parent; parent.type === 'suite'; parent = parent.parent) parts.unshift(parent.name)
    return parts.join(' ').trim()
  })
}
