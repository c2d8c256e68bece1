import { runOf } from './figures.ts'
import type { Measured } from './figures.ts'
import { sizes } from '../peers.ts'
import type { RunName } from '../series.ts'

/** How many times faster headcount shall be than the fastest of some peers. */
const targets: readonly { readonly run: RunName; readonly than: string; readonly least: number }[] = [
  { run: 'cold', than: 'better', least: 1.6 },
  { run: 'cold', than: 'dlt', least: 8 },
  { run: 'unchanged', than: 'better', least: 8 },
  { run: 'unchanged', than: 'dlt', least: 50 },
]

/** Each target beside what was measured, on the largest account that both were measured on. */
export function drawTargets(measured: Measured): string {
  const lines = targets.flatMap(({ run, than, least }) => {
    for (const size of sizes) {
      const ours = runOf(measured, 'headcount', size, run)
      const names = measured.series.map(({ peer }) => peer).filter((peer) => peer.split('-')[0] === than)
      const times = names.flatMap((name) => runOf(measured, name, size, run)?.ms ?? [])
      if (ours === null || times.length === 0) continue
      const factor = Math.min(...times) / ours.ms
      const verdict = factor >= least ? 'met' : 'missed'
      return [
        `- ${run}, faster than \`${than}\` at its best: ${factor.toFixed(1)} × (≥ ${least} ×: ${verdict})\n`,
      ]
    }
    return []
  })
  return lines.join('')
}
