/** A load as a process of its own, started by start.ts: gets a plan, tells what became of it, may be told to stop. */
import { askAsPlanned } from './clients.ts'
import type { Plan } from './plan.ts'

const stopping = new AbortController()

process.once('message', (plan) => {
  process.once('message', () => stopping.abort())
  askAsPlanned(plan as Plan, () => void process.send?.('begun'), stopping.signal).then(
    (answered) => process.send?.({ answered }),
    (error: unknown) => process.send?.({ failed: String(error) }),
  )
})
// The parent is gone, or has what it wants.
process.once('disconnect', () => process.exit(0))
