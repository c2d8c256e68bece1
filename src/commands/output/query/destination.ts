/** Where the answer of a query goes: stdout, a pager before it, or a file. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Pager } from '../../../config/config.ts'
import { requireOutputFile } from '../../../outputs/files/output-file.ts'
import { openOutputFile } from '../../../outputs/files/replace-file.ts'
import type { Output } from '../../terminal/terminal.ts'

export interface Destination {
  /** @returns false when nobody reads any further */
  write(text: string): Promise<boolean>
  /** All was written. */
  finish(): Promise<void>
  /** After `finish`, or when the answer broke off: a file that is not whole is removed. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Writes to a file beside the one that is named, and gives it the name when the answer is whole. Its rows may be of people. */
export async function fileDestination(path: string, signal: AbortSignal): Promise<Destination> {
  const of = '--output'
  const remedy = 'name a file, or leave --output out for stdout'
  await requireOutputFile(path, { of, example: 'rows.csv', remedy })
  const part = await openOutputFile(path, { of, isPersonal: true, signal })
  return {
    write: async (text) => {
      await part.sink.write(Buffer.from(text))
      return true
    },
    finish: () => part.replace(),
    [Symbol.asyncDispose]: async () => part[Symbol.asyncDispose](),
  }
}

export function plainDestination(out: Output): Destination {
  return {
    write: async (text) => {
      await out.write(text)
      return true
    },
    finish: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

/** Lines that leave room for the prompt behind them. */
const LINES_BESIDE = 2

/** Shows a short answer at once, and one that does not fit the screen in a pager. A pager that is left early ends the query. */
export function pagedDestination(out: Output, pager: Pager): Destination {
  const room = (out.height ?? 24) - LINES_BESIDE
  let kept = ''
  let shown: ReturnType<typeof startPager> | null = null
  return {
    write: async (text) => {
      kept += text
      if (shown === null && kept.split('\n').length <= room) return true
      shown ??= startPager(pager)
      const part = kept
      kept = ''
      return shown.write(part)
    },
    finish: async () => {
      if (shown === null) await out.write(kept)
    },
    [Symbol.asyncDispose]: async () => shown?.end(),
  }
}

function startPager({ command, environment }: Pager) {
  const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: environment })
  const ended = once(child, 'close').catch(() => undefined)
  let isLeft = false
  child.stdin.on('error', () => {
    isLeft = true
  })
  return {
    write: async (text: string): Promise<boolean> => {
      if (!isLeft && !child.stdin.write(text))
        await Promise.race([once(child.stdin, 'drain'), ended]).catch(() => undefined)
      return !isLeft && child.exitCode === null
    },
    /** Resolves when the user has left the pager. */
    end: async (): Promise<void> => {
      child.stdin.end()
      await ended
    },
  }
}
