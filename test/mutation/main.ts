/** `npm run mutants`: the program without each of its guards, and which test goes red for it. */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { guards } from './guards.ts'
import type { Guard } from './guards/guard.ts'
import { runWithAllGuards, tryWithout } from './mutants.ts'
import type { Verdict } from './mutants.ts'
import { makePrivateCopy } from './private-copy.ts'

const help = `npm run mutants -- [options]

  Takes out one guard of the program at a time, in a private copy, and runs the tests that should miss it. Ends
  with 1 when a guard is missed by none.

  --only NAME   this guard; may be given more than once
  --list        the names and the promises, without running anything
  --markdown    the table as it stands in docs/reliability.md
`

/** Tests start servers of their own: more at once would only wait for each other. */
const AT_ONCE = 2

const repository = join(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const unknown = values.only.filter((name) => !guards.some((guard) => guard.name === name))
const chosen = guards.filter(({ name }) => values.only.length === 0 || values.only.includes(name))

if (values.help) process.stdout.write(help)
else if (unknown.length > 0) {
  process.stderr.write(`There is no guard "${unknown.join('", "')}". See npm run mutants -- --list\n`)
  process.exitCode = 2
} else if (values.list)
  process.stdout.write(chosen.map(({ name, promise }) => `${name}: ${promise}\n`).join(''))
else await show()

async function show(): Promise<void> {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const verdicts = await tryAll(stopping.signal)
  const inOrder = chosen.flatMap((guard) => verdicts.find((verdict) => verdict.guard === guard) ?? [])
  process.stdout.write(values.markdown ? markdown(inOrder) : text(inOrder))
  const bad = inOrder.filter(({ red }) => red === null)
  process.stderr.write(`\n${inOrder.length} guards taken out, ${bad.length} missed by no test\n`)
  if (bad.length > 0 || inOrder.length < chosen.length) process.exitCode = 1
}

async function tryAll(signal: AbortSignal): Promise<readonly Verdict[]> {
  const waiting = [...chosen]
  const verdicts: Verdict[] = []
  await using first = await makePrivateCopy(repository)
  process.stderr.write('The tests of these guards, while all of them stand …\n')
  const whole = await runWithAllGuards(first.root, chosen, signal).catch((error: unknown) => {
    if (signal.aborted) return null
    throw error
  })
  if (whole === null) return []
  const work = async (_: unknown, number: number) => {
    await using copy = number === 0 ? null : await makePrivateCopy(repository)
    const { root } = copy ?? first
    for (let guard = waiting.shift(); guard !== undefined && !signal.aborted; guard = waiting.shift()) {
      const verdict = await tryWithout(root, guard, whole, signal)
      verdicts.push(verdict)
      process.stderr.write(`${verdicts.length}/${chosen.length} ${said(verdict)}\n`)
    }
  }
  const workers = Array.from({ length: Math.min(AT_ONCE, chosen.length) }, work)
  const ended = await Promise.allSettled(workers)
  const broken = ended.find((result) => result.status === 'rejected')
  if (broken !== undefined && !signal.aborted) throw broken.reason
  return verdicts
}

function said({ guard, red, fault, seconds }: Verdict): string {
  const result = fault ?? (red === null ? 'SURVIVED: no test misses it' : `red: ${red.name}`)
  return `${guard.name} (${seconds.toFixed(1)} s): ${result}`
}

function text(verdicts: readonly Verdict[]): string {
  return verdicts
    .map(({ guard, red, fault, seconds }) => {
      const result = red === null ? (fault ?? 'SURVIVED: no test misses it') : `${red.file}: ${red.name}`
      return `${guard.name}: ${guard.promise}\n    ${result} (${seconds.toFixed(1)} s)\n`
    })
    .join('')
}

function markdown(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(
    ({ guard, red }) => `| ${guard.name} | ${cell(guard.promise)} | ${cell(shown(guard, red))} |\n`,
  )
  return `| guard | what it keeps | goes red without it |\n|---|---|---|\n${rows.join('')}`
}

function shown({ tests }: Guard, red: Verdict['red']): string {
  return red === null
    ? `**none of ${tests.join(', ')}**`
    : `${red.name} (\`${red.file.replace('test/', '')}\`)`
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|')
}
