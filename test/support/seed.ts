/**
 * Properties are tried on the same examples in every run, so that a failure is the change's own. Others are tried
 * with `SEED=<number> npm test -- --project unit`, more of them with `EXAMPLES=<times as many>` where a test asks for `examples`.
 */
import fc from 'fast-check'
// Here, for no module of `src` is loaded before it.
import './commands/environments.ts'

fc.configureGlobal({ seed: Number(process.env['SEED'] ?? 20261121) })

/** How many examples a property is tried on: so many, unless more are asked for. */
export function examples(count: number): number {
  return count * Number(process.env['EXAMPLES'] ?? 1)
}
