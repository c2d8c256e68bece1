/** `npm run faults`: every fault, where it is tested, on which databases, and what came of it. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { faults, faultsIn } from './faults.ts'
import type { Fault } from './faults.ts'
import { namedTests } from './named-tests.ts'
import { runTests } from '../mutation/run-tests.ts'
import type { TestResult } from '../mutation/run-tests.ts'

const help = `npm run faults -- [options] [ID …]

  Runs the tests of every fault, or of those named, and prints the table. Ends with 1 when a fault has no test or
  one that fails.

  --list   where each fault is tested, without running anything
  --all    every test; otherwise at most three of a file are named
`

const root = join(import.meta.dirname, '../..')
/** Tests of one file that are named; the rest is counted. */
const NAMED = 3

type Tested = Pick<TestResult, 'file' | 'name'> & Partial<TestResult>

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    list: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = positionals.filter((id) => !faults.some((fault) => fault.id === id))
if (values.help) process.stdout.write(help)
else if (unknown.length > 0) {
  process.stderr.write(`There is no fault ${unknown.join(', ')}.\n\n${help}`)
  process.exitCode = 2
} else await show(faults.filter(({ id }) => positionals.length === 0 || positionals.includes(id)))

async function show(chosen: readonly Fault[]): Promise<void> {
  const tests = values.list ? await listed() : await run(chosen)
  const lines = chosen.map((fault) => lineOf(fault, tests))
  process.stdout.write(lines.map(({ text }) => text).join(''))
  const bad = lines.filter(({ isGood }) => !isGood).length
  const missing = chosen.filter((fault) => fault.missing !== undefined).length
  process.stdout.write(
    `\n${chosen.length} faults: ${chosen.length - bad - missing} ${values.list ? 'tested' : 'green'}, ${bad} without a good test, ${missing} not shown here\n`,
  )
  if (bad > 0) process.exitCode = 1
}

async function listed(): Promise<readonly Tested[]> {
  return (await namedTests(root)).map(({ file, line, name }) => ({ file: `${file}:${line}`, name }))
}

async function run(chosen: readonly Fault[]): Promise<readonly Tested[]> {
  const ids = new Set(chosen.map(({ id }) => id))
  const pattern = String.raw`\b(?:${[...ids].join('|')})\b`
  const named = (await namedTests(root)).filter((test) => test.ids.some((id) => ids.has(id)))
  const files = [...new Set(named.map(({ file }) => file))]
  if (files.length === 0) return []
  const { tests, unloaded } = await runTests(root, { files, pattern, show: true })
  for (const file of unloaded)
    process.stderr.write(`${file} could not be loaded: its tests count as missing.\n`)
  if (unloaded.length > 0) process.exitCode = 1
  return tests.filter(({ status }) => status !== 'skipped')
}

function lineOf(fault: Fault, tests: readonly Tested[]): { readonly text: string; readonly isGood: boolean } {
  const { id, what, missing } = fault
  const own = tests.filter(({ name }) => faultsIn(name).includes(id))
  const red = own.filter(({ status }) => status === 'failed')
  const engines = [...new Set(own.flatMap((test) => test.engines ?? []))].toSorted().join(', ')
  const result = values.list
    ? count(own.length)
    : red.length > 0
      ? `${red.length} RED`
      : `${own.length} green`
  const isMissing = own.length === 0
  const head = `${id.padEnd(4)} ${what.padEnd(66)} ${engines.padEnd(18)} `
  if (isMissing) {
    const why = missing === undefined ? 'NO TEST' : `not shown here: ${missing}`
    return { text: `${head.trimEnd()}  ${why}\n`, isGood: missing !== undefined }
  }
  return { text: `${head}${result}\n${whereOf(red.length > 0 ? red : own)}`, isGood: red.length === 0 }
}

function whereOf(tests: readonly Tested[]): string {
  const files = Map.groupBy(tests, ({ file }) => (values.list ? file.replace(/:\d+$/, '') : file))
  return [...files]
    .flatMap(([file, own]) => {
      const named = values.all ? own : own.slice(0, NAMED)
      const more = own.length - named.length
      return [
        `       ${file}`,
        ...named.map(({ name }) => `           ${name}`),
        ...(more > 0 ? [`           … and ${more} more`] : []),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')
}

function count(tests: number): string {
  return tests === 1 ? '1 name' : `${tests} names`
}
