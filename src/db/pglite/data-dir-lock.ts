/**
 * The lock on a folder of the embedded database. PGlite takes none, and two processes in one folder lose rows
 * that were acknowledged.
 *
 * The lock is the file `headcount.lock` in the folder, made atomically. It names its holder; its time of
 * change is the holder's beat, every 5 s. The beat goes through the open file, so that a holder that was
 * frozen and has lost its lock touches nothing of the next one's.
 */
import { randomUUID } from 'node:crypto'
import { futimesSync, readFileSync, unlinkSync } from 'node:fs'
import { open, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DataDirInUseError } from '../../common/errors.ts'
import type { DatabaseLog } from '../database.ts'
import { idOf, lockName, readLock, unlessCode } from './lock-file.ts'
import type { StoredLock } from './lock-file.ts'
import { hasExited, isLocal, formatProcess, currentProcess } from '../lease/process-identity.ts'

const beatMs = 5000
/** Three beats missed: this process was frozen, and others may soon take it for dead, or have done so. */
const lookAfterMs = 3 * beatMs
/** A beat older than this from a process that cannot be seen from here: it is dead. */
const deadAfterMs = 30_000
/** Clocks of two machines differ: a beat counts as old only when none came while it was watched for this long. */
const watchMs = beatMs + 1000

/** The process that has the folder open answers in the place of this one. */
export class FolderServedError extends DataDirInUseError {}

/** What is told of a folder that another process has open. */
export interface FolderUse {
  readonly folder: string
  /** For messages: `process 4711 on mill`. */
  readonly holder: string
  /** How long it is waited for. */
  readonly waitMs: number
}

/** Told once, before the wait; what it answers is disposed of when the wait is over. */
export type OnFolderInUse = (use: FolderUse) => Disposable

export interface LockOptions {
  readonly waitMs: number
  readonly log?: DatabaseLog | undefined
  readonly onInUse?: OnFolderInUse | undefined
  /** Asked again and again while another process has the folder open: whether that one answers in its place. */
  readonly isServed?: (() => Promise<boolean>) | undefined
}

export interface FolderLock {
  /** Whether nobody took the folder over; looks at the lock itself when the last beat is 15 s old. */
  isHeld(): boolean
  /** @throws DataDirInUseError when another process took the folder over, for this one had shown no sign of life */
  assertHeld(): void
  release(): Promise<void>
}

/**
 * Takes the lock on a folder that exists, waiting up to `waitMs` for another holder to end.
 *
 * @throws DataDirInUseError naming the holder; FolderServedError when the holder answers in its place
 */
export async function lockFolder(
  folder: string,
  { waitMs, log, onInUse, isServed }: LockOptions,
): Promise<FolderLock> {
  const path = join(folder, lockName)
  const until = performance.now() + waitMs
  using waiting = new DisposableStack()
  let isTold = false
  let watch: { readonly found: StoredLock; readonly since: number } | null = null
  for (;;) {
    const lock = await tryToLock(path, folder)
    if (lock !== null) return lock
    const found = await readLock(path)
    if (found === null) continue
    if (watch === null || watch.found.id !== found.id || watch.found.beat !== found.beat) {
      watch = { found, since: performance.now() }
    }
    if (await isDead(found, performance.now() - watch.since)) {
      if (await breakStaleLock(path, found)) {
        log?.('warn', `Removed the lock that ${formatProcess(found.holder)} left on the folder ${folder}`)
        continue
      }
    } else if (await isServed?.()) {
      throw new FolderServedError(`The folder ${folder} is served by ${formatProcess(found.holder)}.`)
    } else if (performance.now() >= until) {
      throw inUse(folder, found)
    } else if (!isTold && onInUse !== undefined) {
      isTold = true
      waiting.use(onInUse({ folder, holder: formatProcess(found.holder), waitMs }))
    }
    await sleep(100)
  }
}

async function tryToLock(path: string, folder: string): Promise<FolderLock | null> {
  const holder = await currentProcess()
  const id = randomUUID()
  const file = await unlessCode('EEXIST', () => open(path, /* guard: lock of a folder */ 'wx', 0o600))
  if (file === null) return null
  try {
    await file.writeFile(`${JSON.stringify({ id, ...holder, since: new Date().toISOString() })}\n`)
  } catch (error) {
    // A full disk: the empty file would keep everyone out until it looks dead.
    await file.close()
    await unlessCode('ENOENT', () => unlink(path))
    throw error
  }

  let isLost = false
  let lastBeat = performance.now()
  const beat = async () => {
    // Taken first, for the process may be frozen at any line.
    const begun = performance.now()
    const now = new Date()
    await file.utimes(now, now)
    const found = await readLock(path)
    isLost ||= found?.id !== id
    lastBeat = begun
  }
  let underWay: Promise<void> | null = null
  const timer = setInterval(() => {
    // A beat that fails (a full or vanished disk) is missed; the next one is tried all the same.
    underWay ??= beat()
      .catch(() => {})
      .finally(() => {
        underWay = null
      })
  }, beatMs)
  timer.unref()

  // For a way out that closes nothing (process.exit): this is no signal handler, it only tidies up.
  const onExit = () => removeOwn(path, id)
  process.on('exit', onExit)
  let released: Promise<void> | null = null
  const giveBack = async () => {
    clearInterval(timer)
    process.removeListener('exit', onExit)
    await underWay
    removeOwn(path, id)
    await file.close()
  }
  const isHeld = () => {
    if (!isLost && released === null && performance.now() - lastBeat > lookAfterMs) {
      isLost = !beatNow(file.fd, path, id)
      lastBeat = performance.now()
    }
    return !isLost
  }
  return {
    isHeld,
    assertHeld: () => {
      if (isHeld()) return
      throw new DataDirInUseError(
        `The folder ${folder} was taken over by another process, for this one had shown no sign of life for ${deadAfterMs / 1000} s. Run again.`,
      )
    },
    release: () => (released ??= giveBack()),
  }
}

/**
 * Beats and tells whether the lock is still this one's, synchronously: what is about to be written after a
 * freeze cannot wait for the next beat. The beat goes first, so that a reaper that looked before it lets go.
 */
function beatNow(file: number, path: string, id: string): boolean {
  const now = new Date()
  try {
    futimesSync(file, now, now)
    return idOf(readFileSync(path, 'utf8')) === id
  } catch {
    // Gone, or not to be read: who cannot see his lock must not write.
    return false
  }
}

/** Synchronous, for it must also work while the process exits. */
function removeOwn(path: string, id: string): void {
  try {
    if (idOf(readFileSync(path, 'utf8')) === id) unlinkSync(path)
  } catch {
    // The lock is gone already, and so is what there was to do.
  }
}

async function isDead({ id, holder, beat }: StoredLock, watchedMs: number): Promise<boolean> {
  // guard: lock of the dead
  if (holder !== null && (await isLocal(holder))) return hasExited(holder)
  // An unfinished file: its maker died between creating and writing it, or writes it at this moment.
  const isOld = Date.now() - beat >= deadAfterMs || watchedMs >= deadAfterMs
  return isOld && (id === '' || watchedMs >= watchMs)
}

/**
 * Removes a dead holder's lock; false when another process is about to. Of several reapers only the one that
 * makes the claim for this very lock may remove it, and it looks once more: so none can remove the lock that
 * another reaper has just made.
 */
async function breakStaleLock(path: string, dead: StoredLock): Promise<boolean> {
  const claim = `${path}.${dead.id === '' ? 'unfinished' : dead.id}`
  const file = await unlessCode('EEXIST', () => open(claim, 'wx', 0o600))
  if (file === null) {
    const claimed = await unlessCode('ENOENT', () => stat(claim))
    // A reaper that died in these few milliseconds.
    if (claimed !== null && Date.now() - claimed.mtimeMs >= deadAfterMs)
      await unlessCode('ENOENT', () => unlink(claim))
    return false
  }
  try {
    await file.close()
    const found = await readLock(path)
    if (found?.id === dead.id && found.beat === dead.beat) await unlessCode('ENOENT', () => unlink(path))
    return true
  } finally {
    await unlessCode('ENOENT', () => unlink(claim))
  }
}

function inUse(folder: string, { holder, beat }: StoredLock): DataDirInUseError {
  return new DataDirInUseError(
    `The folder ${folder} is in use by ${holder?.pid === process.pid ? 'this very process' : formatProcess(holder)}, last sign of life ${new Date(beat).toISOString()}. Wait until it has ended, or keep the mirror in Postgres, which many processes can use at once.`,
  )
}
