/** Roles that may read a mirror in Postgres; each function as the command `readers` does it. */
import { checkOptions } from '../../common/options/check-options.ts'
import {
  listReaders as readReaders,
  planAndApply,
  requireRoles,
  type ListedReader,
  type ReaderChange,
  type ReaderPlan,
} from '../readers/readers.ts'
import { readMirror, withMirror, type MirrorOptions } from './with-mirror.ts'

export interface RemoveReaderOptions extends MirrorOptions {
  readonly role: string
  /** Runs the statements, all or none; when not given, they are only returned. */
  readonly apply?: boolean
}

export interface AddReaderOptions extends RemoveReaderOptions {
  /** Whether the role sees no names, addresses and messages. */
  readonly withoutPersonal?: boolean
}

/**
 * The roles that may read the mirror.
 *
 * @throws UsageError for PGlite, which has no roles
 */
export async function listReaders(options: MirrorOptions): Promise<readonly ListedReader[]> {
  checkOptions(options)
  return readMirror(options, async (database) => {
    requireRoles(database)
    return database.transaction(readReaders, { readOnly: true })
  })
}

/**
 * Lets a role read the mirror, and nothing else; it is made when there is none.
 *
 * @throws UsageError for PGlite, for a role that may do more than read, and when this role may not make or change roles
 */
export async function addReader(options: AddReaderOptions): Promise<ReaderPlan> {
  checkOptions(options, 'role')
  const reader = { role_name: options.role, with_personal: options.withoutPersonal !== true }
  return carryOut(options, { add: reader })
}

/**
 * Takes everything from a reader; the role stays.
 *
 * @throws UsageError for PGlite, and when the role is no reader
 */
export async function removeReader(options: RemoveReaderOptions): Promise<ReaderPlan> {
  checkOptions(options, 'role')
  return carryOut(options, { remove: options.role })
}

function carryOut(options: RemoveReaderOptions, change: ReaderChange): Promise<ReaderPlan> {
  const { apply = false } = options
  return withMirror(options, apply ? 'write' : 'read', (database) => planAndApply(database, apply, change))
}
