/** A file is written beside the one whose place it takes: whoever reads finds the former one or the new one, and it is whole. */
import { randomBytes } from 'node:crypto'
import { lstat, open, readdir, realpath, rename, rm, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { outputError, type Sink } from './sink.ts'

const OWNER_ALONE = 0o600
const ORDINARY = 0o644
/** Ours, and of no other program. */
const PART = /.\.[0-9a-f]{16}\.headcount\.part$/
/** What an output that was killed left behind is removed after so long: another one may still be writing. */
const PART_AGE_MS = 3_600_000
/** So often a part file is marked as one that is still wanted: an export may write its other files for hours. */
const MARK_MS = PART_AGE_MS / 6

export interface FileOptions {
  /** Whose output it is, for messages: a command, or an option. */
  readonly of: string
  /** Whether rows of people may be in it: only its owner may read it then, whatever the former file allowed. */
  readonly isPersonal: boolean
  readonly signal: AbortSignal
}

/** Disposed of before it took its place, nothing is left of it. */
export interface PartFile extends AsyncDisposable {
  /** Throws the reason of the signal, too. */
  readonly sink: Sink
  /** All of it is on the disk. @throws OutputError */
  finish(): Promise<void>
  /** Finishes it, and gives it its name. @throws OutputError */
  replace(): Promise<void>
}

/** @throws OutputError; what `write` throws, and the reason of the signal: the former file is as it was */
export async function replaceFile<T>(
  path: string,
  options: FileOptions,
  write: (sink: Sink) => Promise<T>,
): Promise<T> {
  await using part = await openOutputFile(path, options)
  const result = await write(part.sink)
  await part.finish()
  options.signal.throwIfAborted()
  await part.replace()
  return result
}

/** Clears what was left behind in the folder, too. @throws OutputError */
export async function openOutputFile(path: string, options: FileOptions): Promise<PartFile> {
  await removeOldParts(dirname(await replacedBy(path)))
  return openPartFile(path, options)
}

/** @throws OutputError */
export async function openPartFile(path: string, { of, isPersonal, signal }: FileOptions): Promise<PartFile> {
  const replaced = await replacedBy(path)
  // guard: a backup that is not whole; files of an unfinished export
  const part = `${replaced}.${randomBytes(8).toString('hex')}.headcount.part`
  const failed = (error: unknown) => {
    // An abort closes the file while it is written to.
    signal.throwIfAborted()
    throw outputError(`${of}: the file ${path}`, error)
  }
  // guard: who reads a report
  const mode = isPersonal ? OWNER_ALONE : ORDINARY
  const file = await open(part, 'wx', mode).catch(failed)
  // guard: part file that is still wanted
  const mark = () => utimes(part, new Date(), new Date()).catch(() => {})
  const marking = setInterval(() => void mark(), MARK_MS)
  marking.unref()
  let isFinished = false
  let isReplaced = false
  const finish = async () => {
    if (isFinished) return
    await file.sync().catch(failed)
    await file.close()
    // By the clock of this machine: that of a file server may be behind, and the next file of an export would clear this one away.
    await mark()
    isFinished = true
  }
  return {
    sink: {
      write: async (content) => {
        signal.throwIfAborted()
        await file.writeFile(content).catch(failed)
      },
    },
    finish,
    replace: async () => {
      await finish()
      clearInterval(marking)
      await rename(part, replaced).catch(failed)
      isReplaced = true
      await syncFolder(dirname(replaced))
    },
    [Symbol.asyncDispose]: async () => {
      clearInterval(marking)
      if (isReplaced) return
      await file.close().catch(() => undefined)
      await rm(part, { force: true })
    },
  }
}

/** Behind a link it is the file that this leads to, so that the link stays one. */
function replacedBy(path: string): Promise<string> {
  return realpath(path).catch(() => path)
}

/** Whether a file of this name is one that an output had not finished. */
export function isPartName(name: string): boolean {
  return PART.test(name)
}

/**
 * Removes the part files of a folder that nobody writes any more, of outputs of any name: theirs may have had a date. Those of
 * another user may have to stay.
 */
export async function removeOldParts(folder: string): Promise<void> {
  for (const name of (await readdir(folder).catch(() => [])).filter(isPartName)) {
    const path = join(folder, name)
    const found = await lstat(path).catch(() => null)
    if (found?.isFile() === true && Date.now() - found.mtimeMs > PART_AGE_MS)
      await rm(path, { force: true }).catch(() => undefined)
  }
}

/** Only then a crash of the machine keeps the new name. Some systems cannot do that with a folder. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => null)
  try {
    await folder?.sync().catch(() => undefined)
  } finally {
    await folder?.close()
  }
}
