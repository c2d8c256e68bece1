/** Entry of a process that does one task: told by its parent, answered to it, over when the parent lets go. */
import { tasks } from './tasks.ts'
import type { Order, Reply } from './in-child.ts'

const orphaned = (): never => process.exit(1)
process.once('disconnect', orphaned)
process.once('message', ({ task, input }: Order) => {
  void (tasks[task] as (input: unknown) => Promise<unknown>)(input)
    .then(
      (result): Reply => ({ result }),
      (error: unknown): Reply => ({ failure: error instanceof Error ? (error.stack ?? '') : String(error) }),
    )
    .then((reply) => {
      process.removeListener('disconnect', orphaned)
      process.send?.(reply)
    })
})
