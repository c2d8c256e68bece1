/** `npm run throttle`: what a run reaches under twelve kinds of limits, in simulated time. Ends with 1 when one is missed. */
import { runProgram } from '../support/commands/program.ts'
import { judge, type Result, scenes } from './scenarios.ts'

const options = { only: { type: 'string' } } as const
const help = `npm run throttle -- [--only TEXT]

  Plays a run against a service with each kind of limit in simulated time, over the program's own queue, retries, gate
  and pace, with and without Retry-After, and prints what it reached. TEXT chooses the limits by a part of their name.
`

const columns = [36, 11, 10, 10, 9, 9, 9] as const

function row(cells: readonly string[]): string {
  return cells
    .map((cell, n) => (n < 2 ? cell.padEnd(columns[n] ?? 0) : cell.padStart(columns[n] ?? 0)))
    .join(' ')
}

function shown({
  scene,
  tellsWhen,
  allowed,
  reached,
  refused,
  backAfter,
  mustBeBackAfter,
  faults,
}: Result): string {
  return row([
    scene.name,
    tellsWhen ? 'Retry-After' : '-',
    allowed.toFixed(2),
    reached.toFixed(2),
    `${(refused * 100).toFixed(2)} %`,
    backAfter === null ? 'never' : `${backAfter.toFixed(1)} s`,
    `${mustBeBackAfter.toFixed(0)} s`,
    `  ${faults.length === 0 ? 'met' : `MISSED: ${faults.join(', ')}`}`,
  ])
}

process.exitCode = await runProgram(help, options, async (values) => {
  const head = ['limit', '', 'allowed/s', 'reached/s', 'refused', 'back', 'at most', '  verdict']
  process.stdout.write(`${row(head)}\n`)
  let areMet = true
  for (const scene of scenes.filter(({ name }) => name.includes(values.only ?? ''))) {
    for (const tellsWhen of [true, false]) {
      if (scene.only === (tellsWhen ? 'untold' : 'told')) continue
      const result = await judge(scene, tellsWhen)
      process.stdout.write(`${shown(result)}\n`)
      areMet &&= result.faults.length === 0
    }
  }
  return areMet
})
