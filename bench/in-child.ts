import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { tasks } from './tasks.ts'

type Tasks = typeof tasks
export type TaskName = keyof Tasks

export interface Order {
  readonly task: TaskName
  readonly input: unknown
}

export type Reply = { readonly result: unknown } | { readonly failure: string }

/**
 * Does a task in a process of its own and waits until that has ended.
 *
 * @param profile where the process leaves a CPU profile; none by default.
 */
export async function inChild<Name extends TaskName>(
  task: Name,
  input: Parameters<Tasks[Name]>[0],
  profile?: { readonly folder: string; readonly name: string } | null,
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  const execArgv = profile
    ? ['--cpu-prof', `--cpu-prof-dir=${profile.folder}`, `--cpu-prof-name=${profile.name}.cpuprofile`]
    : []
  const child = fork(new URL('./child.ts', import.meta.url), { execArgv })
  const ended = once(child, 'exit')
  const order: Order = { task, input }
  child.send(order)
  const reply = await Promise.race([
    once(child, 'message').then(([message]) => message as Reply),
    ended.then(([code]): Reply => ({ failure: `its process ended without an answer (${code})` })),
  ])
  if (child.connected) child.disconnect()
  await ended
  if ('failure' in reply) throw new Error(`The task ${task} failed: ${reply.failure}`)
  return reply.result as Awaited<ReturnType<Tasks[Name]>>
}
