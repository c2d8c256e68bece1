/**
 * The lock on a folder: of a PGlite, which takes none, and two processes in one folder lose acknowledged rows; and of an export.
 *
 * The lock is the file `headcount.lock` in the folder, created atomically. It names its holder. Its modification time is
 * the holder's heartbeat, every 5 s. The heartbeat uses the open file handle: a frozen holder that lost its lock does
 * not touch the lock of the next one.
 */
import { randomUUID } from 'node:crypto'
import { futimesSync, readFileSync, unlinkSync } from 'node:fs'
import { open, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DataDirInUseError } from '../../common/errors.ts'
import type { DatabaseLog, OnFolderInUse } from '../database.ts'
import { identityOf, idOf, lockName, readLock, unlessCode, type StoredLock } from './lock-file.ts'
import { hasExited, isLocal, formatProcess, currentProcess } from './process-identity.ts'

const HEARTBEAT_MS = 5000
/** After three missed beats this process was frozen: another process may have taken the lock over. */
const CHECK_AFTER_MS = 3 * HEARTBEAT_MS
/** A process that is not visible from here is dead after so long without a beat. */
const DEAD_AFTER_MS = 30_000
/** Clocks of two machines differ: a beat counts as old only after it was watched for so long without a new one. */
const WATCH_MS = HEARTBEAT_MS + 1000

/** The process that has the folder open answers in place of this one. */
export class FolderServedError extends DataDirInUseError {}

interface LockOptions {
  /** The same folder by its real path; messages name the other one. */
  readonly at?: string
  readonly waitMs: number
  readonly log?: DatabaseLog | undefined
  readonly onInUse?: OnFolderInUse | undefined
  /** Whether the process that has the folder open answers in place of this one. Called repeatedly during the wait. */
  readonly isServed?: (() => Promise<boolean>) | undefined
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** What to do about a folder that is in use. */
  readonly remedy?: string
}

export interface FolderLock {
  /** Whether this process still holds the lock. It reads the lock file when the last beat is 15 s old. */
  isHeld(): boolean
  /** @throws DataDirInUseError when another process took the lock over */
  assertHeld(): void
  release(): Promise<void>
}

/** For a database that is in no folder. */
export const noLock: FolderLock = { isHeld: () => true, assertHeld: () => {}, release: async () => {} }

const REMEDY =
  'Wait until it has ended, or keep the mirror in Postgres, which many processes can use at once.'

/**
 * Takes the lock on a folder that exists, waiting up to `waitMs` for another holder to end.
 *
 * @throws DataDirInUseError naming the holder; FolderServedError when the holder answers in place of this process
 */
export async function lockFolder(
  folder: string,
  { at = folder, waitMs, log, onInUse, isServed, signal, remedy = REMEDY }: LockOptions,
): Promise<FolderLock> {
  const path = join(at, lockName)
  const until = performance.now() + waitMs
  // Somebody on a clock that is behind beats meanwhile.
  const watchUntil = performance.now() + WATCH_MS + 500
  using waiting = new DisposableStack()
  let isReported = false
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
    } else if (performance.now() >= until && (performance.now() >= watchUntil || !(await looksDead(found)))) {
      throw await inUse(folder, found, remedy)
    } else if (!isReported && onInUse !== undefined) {
      isReported = true
      waiting.use(onInUse({ folder, holder: formatProcess(found.holder), waitMs }))
    }
    await sleep(100, undefined, { signal })
  }
}

/** Null when the lock exists. */
async function tryToLock(path: string, folder: string): Promise<FolderLock | null> {
  const holder = await currentProcess()
  const id = randomUUID()
  const file = await unlessCode('EEXIST', () => open(path, /* guard: lock of a folder */ 'wx', 0o600))
  if (file === null) return null
  try {
    const content = { id, ...holder, since: new Date().toISOString(), file: await identityOf(file) }
    await file.writeFile(`${JSON.stringify(content)}\n`)
  } catch (error) {
    // The disk is full: the empty lock file would keep every process out for 30 s.
    await file.close()
    await unlessCode('ENOENT', () => unlink(path))
    throw error
  }
  return new HeldLock(file, path, id, folder)
}

/** A lock that this process holds, and its heartbeat. */
class HeldLock implements FolderLock {
  readonly #file: FileHandle
  readonly #path: string
  readonly #id: string
  readonly #folder: string
  readonly #timer: NodeJS.Timeout
  #isLost = false
  #lastBeat = performance.now()
  #underWay: Promise<void> | null = null
  #released: Promise<void> | null = null

  constructor(file: FileHandle, path: string, id: string, folder: string) {
    this.#file = file
    this.#path = path
    this.#id = id
    this.#folder = folder
    this.#timer = setInterval(() => {
      // A beat fails when the disk is full or gone; the next beat is tried all the same.
      this.#underWay ??= this.#beat()
        .catch(() => {})
        .finally(() => (this.#underWay = null))
    }, HEARTBEAT_MS)
    this.#timer.unref()
    process.on('exit', this.#remove)
  }

  isHeld(): boolean {
    const isOld = performance.now() - this.#lastBeat > CHECK_AFTER_MS
    if (!this.#isLost && this.#released === null && isOld) {
      this.#isLost = !this.#beatNow()
      this.#lastBeat = performance.now()
    }
    return !this.#isLost
  }

  assertHeld(): void {
    if (this.isHeld()) return
    throw new DataDirInUseError(
      `The folder ${this.#folder} was taken over by another process, because this one had sent no heartbeat for ${DEAD_AFTER_MS / 1000} s. Run again.`,
    )
  }

  release(): Promise<void> {
    return (this.#released ??= this.#giveBack())
  }

  async #giveBack(): Promise<void> {
    clearInterval(this.#timer)
    process.removeListener('exit', this.#remove)
    await this.#underWay
    this.#remove()
    await this.#file.close()
  }

  async #beat(): Promise<void> {
    // The time comes first: the process may freeze at any line.
    const begun = performance.now()
    const now = new Date()
    await this.#file.utimes(now, now)
    const found = await readLock(this.#path)
    this.#isLost ||= found?.id !== this.#id
    this.#lastBeat = begun
  }

  /**
   * Beats, and returns whether the lock is still held. Synchronous: a write after a freeze cannot wait for the next beat.
   * The beat comes first: a process that is about to remove the lock sees it and stops.
   */
  #beatNow(): boolean {
    const now = new Date()
    try {
      futimesSync(this.#file.fd, now, now)
      return this.#isOwn()
    } catch {
      // Without a readable lock file this process must not write.
      return false
    }
  }

  /** Synchronous, for an exit without `release` (process.exit). */
  readonly #remove = (): void => {
    try {
      if (this.#isOwn()) unlinkSync(this.#path)
    } catch {
      // The lock file is gone already.
    }
  }

  #isOwn(): boolean {
    return idOf(readFileSync(this.#path, 'utf8')) === this.#id
  }
}

async function isDead({ id, holder, beat, isCopy }: StoredLock, watchedMs: number): Promise<boolean> {
  if (holder !== null && (await isLocal(holder))) {
    // guard: lock of the dead
    if (await hasExited(holder)) return true
    // guard: copied lock
    if (!isCopy) return false
    // Some file systems show one file by two numbers: only the beat tells that nobody holds this one.
  }
  // A file without an id: its process died between creating and writing it, or is writing it now.
  const isOld = Date.now() - beat >= DEAD_AFTER_MS || watchedMs >= DEAD_AFTER_MS
  return isOld && (id === '' || watchedMs >= WATCH_MS)
}

/** It has had no heartbeat for long, and nobody but that can tell: after a little watching `isDead` knows. */
async function looksDead({ holder, beat, isCopy }: StoredLock): Promise<boolean> {
  if (Date.now() - beat < DEAD_AFTER_MS) return false
  // guard: silent lock
  return holder === null || isCopy || !(await isLocal(holder))
}

/**
 * Removes the lock of a dead holder; false when another process is about to. Only the process that creates the claim
 * file for this lock may remove it, after another check: so no process removes a new lock.
 */
async function breakStaleLock(path: string, dead: StoredLock): Promise<boolean> {
  const claim = `${path}.${dead.id === '' ? 'unfinished' : dead.id}`
  const file = await unlessCode('EEXIST', () => open(claim, 'wx', 0o600))
  if (file === null) {
    const claimed = await unlessCode('ENOENT', () => stat(claim))
    // The process with the claim died within these few milliseconds.
    if (claimed !== null && Date.now() - claimed.mtimeMs >= DEAD_AFTER_MS)
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

async function inUse(
  folder: string,
  { holder, beat, isCopy }: StoredLock,
  remedy: string,
): Promise<DataDirInUseError> {
  const seconds = DEAD_AFTER_MS / 1000
  const isVisible = holder !== null && (await isLocal(holder))
  // Process 1 of another container has the number of this one.
  const by = isVisible && holder.pid === process.pid ? 'this very process' : formatProcess(holder)
  const hint = isCopy
    ? ` If it is a copy of the folder of that process, it can be opened ${seconds} s after it was made.`
    : isVisible
      ? ''
      : ` If that process was killed, the folder can be opened ${seconds} s after its last heartbeat.`
  return new DataDirInUseError(
    `The folder ${folder} is in use by ${by}, last heartbeat ${new Date(beat).toISOString()}.${hint} ${remedy}`,
  )
}
