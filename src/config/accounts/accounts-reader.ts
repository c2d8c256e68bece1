import { stat } from 'node:fs/promises'
import pLimit from 'p-limit'
import { ConfigurationError } from '../../common/errors.ts'
import type { Flags } from '../config.ts'
import type { Environment } from '../secrets.ts'
import { readAccounts, type Accounts, FILES_AT_ONCE } from './read-accounts.ts'

/** The accounts as they are at a moment. */
export interface CurrentAccounts {
  readonly accounts: Accounts
  /** Why the file as a whole cannot be used now: the former accounts go on. */
  readonly fault: ConfigurationError | null
  /** Whether something differs from what was returned before. */
  readonly isNew: boolean
}

/** Keeps accounts in step with their files. */
export interface AccountsReader {
  /** Of the first reading: it bounds what the process does. */
  readonly requestsPerHost: number
  /**
   * Reads anew when a file was changed, replaced, added or removed, else looks at the files only.
   *
   * @throws ConfigurationError at the first call, when there are no former accounts
   */
  current(): Promise<CurrentAccounts>
}

/** A file may be written once more within the step of its time stamp. */
const SETTLED_AFTER_MS = 3000

/** Null when neither HEADCOUNT_ACCOUNTS_FILE nor HEADCOUNT_KEYS_DIR is set. */
export async function openAccounts(flags: Flags, environment?: Environment): Promise<AccountsReader | null> {
  const first = await read()
  if (first === null) return null
  let newest = first
  let isReturned = false
  let fault: ConfigurationError | null = null

  async function read() {
    const startedAt = Date.now()
    const accounts = await readAccounts(flags, environment)
    return (
      accounts && { accounts, content: contentOf(accounts), ...(await lookAt(accounts.files, startedAt)) }
    )
  }

  /** Whether the accounts, or the fault, are others than before. */
  async function refresh(): Promise<boolean> {
    const seen = await lookAt(newest.accounts.files, Date.now())
    // guard: files that changed
    if (newest.isSettled && seen.state === newest.state) return false
    const former = { content: newest.content, fault: fault?.message }
    try {
      newest = (await read()) ?? newest
      fault = null
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      fault = error
      // Read anew until it is mended: a file that is missing may be named by what could not be used.
      // guard: faulty until it is mended
      newest = { ...newest, ...seen, isSettled: false }
    }
    return former.content !== newest.content || former.fault !== fault?.message
  }

  return {
    requestsPerHost: first.accounts.requestsPerHost,
    current: async () => {
      const isNew = (await refresh()) || !isReturned
      isReturned = true
      return { accounts: newest.accounts, fault, isNew }
    },
  }
}

function contentOf({ accounts, faults }: Accounts): string {
  return JSON.stringify([accounts, faults])
}

interface FileStates {
  readonly state: string
  /** Whether a later change of a file shows in its state for certain. */
  readonly isSettled: boolean
}

/** What a link leads to counts, for Kubernetes exchanges the folder behind one. */
async function lookAt(files: readonly string[], startedAt: number): Promise<FileStates> {
  const limit = pLimit(FILES_AT_ONCE)
  const states = await limit.map(files, async (file) => {
    try {
      const { ino, size, ctimeMs, mtimeMs } = await stat(file)
      return { state: [ino, size, ctimeMs, mtimeMs].join(), changedAt: ctimeMs }
    } catch {
      return { state: 'missing', changedAt: 0 }
    }
  })
  return {
    state: states.map(({ state }) => state).join(' '),
    isSettled: states.every(({ changedAt }) => changedAt < startedAt - SETTLED_AFTER_MS),
  }
}
