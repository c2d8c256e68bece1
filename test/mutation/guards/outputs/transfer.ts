import type { Guard } from '../guard.ts'

const moved = 'test/integration/outputs/transfer/move.test.ts'
const backups = 'test/integration/outputs/transfer/backup.test.ts'
const commands = 'test/integration/outputs/transfer/commands.test.ts'

/** What makes a copy of a mirror whole or nothing, and the same as the original. */
export const transferGuards: readonly Guard[] = [
  {
    name: 'checksums of a copy',
    promise: 'a copy that is not the same in every row is not stored',
    mutation: 'never',
    tests: [moved],
    only: 'arrives otherwise',
  },
  {
    name: 'identities of a copy',
    promise: 'numbers that the original has given are given to nothing else in the copy',
    mutation: 'remove',
    tests: [moved],
    only: 'from pglite to postgres',
  },
  {
    name: 'runs in progress',
    promise: 'a run whose process is not there is not in progress where its row arrives',
    mutation: 'never',
    tests: [backups],
    only: 'of an older schema',
  },
  {
    name: 'writers during a move',
    promise: 'what other commands write during a move is not lost with the former mirror',
    mutation: 'remove',
    tests: [moved],
    only: 'written meanwhile',
  },
  {
    name: 'changes that waited for a move',
    promise: 'a command that waited for a move to end does not change the former mirror',
    mutation: 'remove',
    tests: [moved],
    only: 'that waited',
  },
  {
    name: 'an account that came meanwhile',
    promise: 'an account whose first run begins during a move is not left behind',
    mutation: 'never',
    tests: [moved],
    only: 'comes before the snapshot',
  },
  {
    name: 'a target with a mirror',
    promise: 'neither a move nor a restore writes to a database that has a mirror',
    mutation: 'never',
    tests: [commands],
    only: 'that is not empty',
  },
  {
    name: 'a move to itself',
    promise: 'a mirror is never marked as moved to the database that it is in',
    mutation: 'never',
    tests: [commands],
    only: 'with another mirror is refused',
  },
  {
    name: 'a copy of before',
    promise: 'a mirror is marked as moved only when the other database has the same rows',
    mutation: 'always',
    tests: [commands],
    only: 'between the copy',
  },
  {
    name: 'a mirror that was moved',
    promise: 'nothing is written to a mirror that was moved, unless forced',
    mutation: 'never',
    tests: [commands],
    only: 'tells what it moved',
  },
  {
    name: 'statements of an ended move',
    promise: 'a signal ends a move in the middle of a statement, and lets its accounts go',
    mutation: 'remove',
    tests: [commands],
    only: 'SIGTERM.*while rows',
  },
  {
    name: 'disk of a copy',
    promise: 'a copy into a PGlite folder ends before its disk is full, where PGlite would never end',
    mutation: 'remove',
    tests: [commands],
    only: 'disk of a folder',
  },
  {
    name: 'a backup that is not whole',
    promise: 'a backup that a signal, a full disk or a kill ends leaves the former file as it was',
    mutation: { replace: 'replaced' },
    tests: [commands],
    only: 'during a backup leaves',
  },
  {
    name: 'part file that is still wanted',
    promise: 'an output that takes hours does not lose its files to another one that clears what was killed',
    mutation: { cut: 'utimes(part, new Date(), new Date()).catch(() => {})', put: '0' },
    tests: ['test/unit/outputs/replace-file.test.ts'],
  },
  {
    name: 'checksums of a backup',
    promise: 'nothing of a backup is restored that is not what was written',
    mutation: 'always',
    tests: [backups],
    only: 'a byte was changed',
  },
  {
    name: 'erased people in a backup',
    promise: 'a restore that is ended brings nobody back whom the given list names',
    mutation: 'remove',
    tests: [commands],
    only: 'stays erased',
  },
  {
    name: 'columns of others',
    promise: 'a mirror to whose tables somebody added columns is moved, and its backup can be restored',
    mutation: { replace: 'found' },
    tests: [backups],
    only: 'somebody added columns',
  },
  {
    name: 'identities of others',
    promise: 'a column of somebody else that numbers its rows keeps no copy from being made',
    mutation: 'never',
    tests: [backups],
    only: 'somebody added columns',
  },
  {
    name: 'devices and pipes',
    promise: 'no output takes the place of a device or a pipe, which would be gone for everybody',
    mutation: 'never',
    tests: [backups],
    only: 'no device, pipe or folder',
  },
  {
    name: 'a backup that is no file',
    promise: 'a restore from a pipe ends at once, and does not wait for its writer',
    mutation: 'never',
    tests: [backups],
    only: 'no device, pipe or folder',
  },
]
