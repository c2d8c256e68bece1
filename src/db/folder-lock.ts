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
import { open, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FolderInUseError } from '../errors.ts'
import { isObject, parseJson } from '../json.ts'
import type { JsonValue } from '../json.ts'
import type { DatabaseLog } from './database.ts'
import { isGone, isHere, nameOf, readHolder, thisProcess } from './holder.ts'
import type { Holder } from './holder.ts'

export const lockName = 'headcount.lock'

const beatMs = 5000
/** Three beats missed: this process was frozen, and others may soon take it for dead, or have done so. */
const lookAfterMs = 3 * beatMs
/** A beat older than this from a process that cannot be seen from here: it is dead. */
const deadAfterMs = 30_000
/** Clocks of two machines differ: a beat counts as old only when none came while it was watched for this long. */
const watchMs = beatMs + 1000

export interface FolderLock {
  /** Whether nobody took the folder over; looks at the lock itself when the last beat is 15 s old. */
  isHeld(): boolean
  /** @throws FolderInUseError when another process took the folder over, for this one had shown no sign of life */
  assertHeld(): void
  release(): Promise<void>
}

interface Found {
  /** Tells one lock from the next; '' while the file is being written. */
  readonly id: string
  readonly holder: Holder | null
  readonly beat: number
}

/**
 * Takes the lock on a folder that exists, waiting up to `waitMs` for another holder to end.
 *
 * @throws FolderInUseError naming the holder
 */
export async function lockFolder(
  folder: string,
  { waitMs, log }: { readonly waitMs: number; readonly log?: DatabaseLog | undefined },
): Promise<FolderLock> {
  const path = join(folder, lockName)
  const until = performance.now() + waitMs
  let watch: { readonly found: Found; readonly since: number } | null = null
  for (;;) {
    const lock = await tryToLock(path, folder)
    if (lock !== null) return lock
    const found = await readLock(path)
    if (found === null) continue
    if (watch === null || watch.found.id !== found.id || watch.found.beat !== found.beat) {
      watch = { found, since: performance.now() }
    }
    if (await isDead(found, performance.now() - watch.since)) {
      if (await reap(path, found)) {
        log?.('warn', `Removed the lock that ${nameOf(found.holder)} left on the folder ${folder}`)
        continue
      }
    } else if (performance.now() >= until) {
      throw inUse(folder, found)
    }
    await sleep(100)
  }
}

async function tryToLock(path: string, folder: string): Promise<FolderLock | null> {
  const holder = await thisProcess()
  const id = randomUUID()
  const file = await unlessCode('EEXIST', () => open(path, 'wx', 0o600))
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
      throw new FolderInUseError(
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

async function isDead({ id, holder, beat }: Found, watchedMs: number): Promise<boolean> {
  if (holder !== null && (await isHere(holder))) return isGone(holder)
  // An unfinished file: its maker died between creating and writing it, or writes it at this moment.
  const isOld = Date.now() - beat >= deadAfterMs || watchedMs >= deadAfterMs
  return isOld && (id === '' || watchedMs >= watchMs)
}

/**
 * Removes a dead holder's lock; false when another process is about to. Of several reapers only the one that
 * makes the claim for this very lock may remove it, and it looks once more: so none can remove the lock that
 * another reaper has just made.
 */
async function reap(path: string, dead: Found): Promise<boolean> {
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

async function readLock(path: string): Promise<Found | null> {
  const text = await unlessCode('ENOENT', () => readFile(path, 'utf8'))
  const file = await unlessCode('ENOENT', () => stat(path))
  if (text === null || file === null) return null
  return { id: idOf(text), holder: readHolder(contentOf(text)), beat: file.mtimeMs }
}

function idOf(text: string): string {
  const content = contentOf(text)
  return isObject(content) && typeof content['id'] === 'string' ? content['id'] : ''
}

function contentOf(text: string): JsonValue {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

function inUse(folder: string, { holder, beat }: Found): FolderInUseError {
  return new FolderInUseError(
    `The folder ${folder} is in use by ${holder?.pid === process.pid ? 'this very process' : nameOf(holder)}, last sign of life ${new Date(beat).toISOString()}. Wait until it has ended, or keep the mirror in Postgres, which many processes can use at once.`,
  )
}

/** Null where the system answers with this code. */
async function unlessCode<T>(code: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return null
    throw error
  }
}
