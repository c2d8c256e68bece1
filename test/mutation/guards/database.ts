import type { Guard } from './guard.ts'

const lease = 'test/integration/db/lease.test.ts'
const folder = 'test/integration/db/data-dir.test.ts'
const folderLock = 'test/integration/db/folder-lock.test.ts'
const ownPglite = 'test/integration/library/own-pglite.test.ts'

/** What keeps batches whole and writers apart. */
export const databaseGuards: readonly Guard[] = [
  {
    name: 'digest in the transaction',
    promise: 'a digest is stored only together with the rows that it vouches for',
    mutation: {
      replace: `await run.mirror.database.transaction(async (own) => {
        const records = await writeEventRows(own, run, [])
        await finishBatch(own, run, { loads, changes, decisions, records, responses: [] })
        return writeEventRows(trx, run, loads)
      })`,
    },
    tests: ['test/integration/sync/write/database.test.ts'],
    only: 'D4 at every try|D17 affected rows.*postgres',
  },
  {
    name: 'byte order marks',
    promise:
      'ids and texts that differ by a byte order mark at their beginning stay different on PGlite, too',
    mutation: 'never',
    tests: ['test/integration/db/type-parsers.test.ts'],
    only: 'pglite.*a byte order mark before it',
  },
  {
    name: 'no digest while held',
    promise: 'a list of which something is held is never taken for mirrored',
    mutation: 'never',
    tests: ['test/integration/sync/deletions/deletions.test.ts'],
    only: 'postgres.*S3',
  },
  {
    name: 'counts of rows',
    promise: 'rows that the database swallows roll the batch back',
    mutation: 'never',
    tests: ['test/integration/sync/write/database.test.ts'],
    only: 'D17 a row is swallowed',
  },
  {
    name: 'one time stamp a transaction',
    promise: 'history has no gaps: a version begins where the one before it ended',
    mutation: { cut: 'now()', put: 'clock_timestamp()' },
    tests: ['test/integration/load/history/runs.test.ts'],
    only: 'postgres',
  },
  {
    name: 'clock set back',
    promise: 'a moment has one version of a row, also after the clock was set back',
    mutation: 'never',
    tests: ['test/integration/load/history/past.test.ts'],
    only: 'O6',
  },
  {
    name: 'removed events',
    promise: 'an event that comes back with an equal list has its responses back',
    mutation: { cut: 'where account_id', put: 'where false and account_id' },
    tests: ['test/integration/sync/write/database.test.ts'],
    only: 'D2 a run that ends.*postgres',
  },
  {
    name: 'end of a copy',
    promise: 'a COPY that broke off is an error, never rows that are absent',
    mutation: { body: 'return false' },
    tests: ['test/integration/load/copy.test.ts'],
    only: 'break off anywhere',
  },
  {
    name: 'new lists',
    promise:
      'rows are copied without a comparison only where nothing is live, whatever is known of their event',
    mutation: 'always',
    tests: ['test/integration/sync/write/new-lists.test.ts'],
    only: 'postgres',
  },
  {
    name: 'parts that differ',
    promise: 'a response is written when only its payment or one of its slots differs',
    mutation: { replace: "kind === 'differs'" },
    tests: ['test/integration/load/list-diff.test.ts'],
    only: 'postgres.*any of its parts',
  },
  {
    name: 'removals taken back',
    promise: 'a decision that was rolled back frees what it took of the budget of deletions',
    mutation: 'remove',
    tests: ['test/unit/sync/deletion-guard.test.ts'],
    only: 'rolled back',
  },
  {
    name: 'fence',
    promise: 'a run that was taken over writes nothing more',
    mutation: 'remove',
    tests: [lease, 'test/integration/db/pooling.test.ts'],
    only: 'postgres.*D9 after a take-over|SIGSTOP',
  },
  {
    name: 'number given again',
    promise:
      'a run that a database set back to an earlier time does not know never writes as the run that has its number now',
    mutation: 'remove',
    tests: ['test/integration/sync/open/lease.test.ts'],
    only: 'was given its number again',
  },
  {
    name: 'number that is taken',
    promise: 'no run takes a number that is free by chance: later runs have higher ones',
    mutation: 'remove',
    tests: ['test/integration/db/publication.test.ts'],
    only: 'logical replication filled .postgres',
  },
  {
    name: 'lock of the fence',
    promise: 'a take-over waits for the batch in flight',
    mutation: 'remove',
    tests: ['test/integration/db/pooling.test.ts'],
    only: 'batch in flight',
  },
  {
    name: 'lock of the take-over',
    promise: 'a take-over locks the old run before it marks it',
    mutation: { replace: "''" },
    tests: ['test/integration/db/pooling.test.ts'],
    only: 'batch in flight',
  },
  {
    name: 'close of a lost run',
    promise: 'a run that was taken over cannot say how it ended',
    mutation: 'remove',
    tests: [lease],
    only: 'postgres.*D9 after a take-over',
  },
  {
    name: 'beat of a lost run',
    promise: 'a run learns from its own heartbeat that it was taken over',
    mutation: 'never',
    tests: [lease],
    only: 'postgres.*heart beats',
  },
  {
    name: 'dead holders',
    promise: 'a run whose process was killed on this machine is taken over at once',
    mutation: { replace: 'holder.started' },
    tests: [lease],
    only: 'postgres.*D9 a holder whose process is gone',
  },
  {
    name: 'holders elsewhere',
    promise: 'a process number of another machine or container proves no death',
    mutation: 'always',
    tests: [lease],
    only: 'postgres.*D9 a process number',
  },
  {
    name: 'runs given up',
    promise: 'a run that goes on keeps its account, also against a later run of its own process',
    mutation: 'always',
    tests: ['test/integration/sync/open/lease.test.ts'],
    only: 'D8 at once',
  },
  {
    name: 'transaction lock',
    promise: 'migrations hold no lock beyond their transaction: they work behind a pooling proxy',
    mutation: { cut: '_xact' },
    tests: ['test/integration/db/pooling.test.ts'],
    only: 'two starters',
  },
  {
    name: 'readers beside a migration',
    promise: 'a migration that waits for a lock keeps no reader waiting behind it for longer than 15 s',
    mutation: 'never',
    tests: ['test/integration/db/migrate.test.ts'],
    only: 'stands idle in a transaction',
  },
  {
    name: 'newer schema',
    promise: 'a schema made by a newer headcount is left alone',
    mutation: 'always',
    tests: ['test/integration/db/migrate.test.ts'],
    only: 'D11.*postgres',
  },
  {
    name: 'readers after a migration',
    promise: 'a migration leaves no reader without what it may read, and none with more',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'grants readers anew',
  },
  {
    name: 'readers of other versions',
    promise: 'a reader may ask by the commands that read what it may read',
    mutation: 'never',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'of each kind',
  },
  {
    name: 'lock of a folder',
    promise: 'two processes never have one PGlite folder open: rows would be lost',
    mutation: { replace: "'w'" },
    tests: [folderLock],
    only: 'D15.*by this very process',
  },
  {
    name: 'lock of the dead',
    promise: 'the lock of a killed process on a PGlite folder is removed at once',
    mutation: { body: 'return false' },
    tests: [folder],
    only: 'D15.*by another process: refused',
  },
  {
    name: 'folder of a PGlite of the caller',
    promise:
      'as long as a PGlite of the caller is open, no other process has its folder open: rows would be lost',
    mutation: 'always',
    tests: [ownPglite],
    only: 'D15.*by its path: it is in use',
  },
  {
    name: 'folder of a PGlite that was closed',
    promise: 'a PGlite of the caller that was closed leaves its folder to others at once',
    mutation: 'remove',
    tests: [ownPglite],
    only: 'D15.*by its path: it is in use',
  },
  {
    name: 'silent lock',
    promise: 'a lock that was left on another machine, or before a reboot, keeps no PGlite of the caller out',
    mutation: { replace: 'false' },
    tests: [ownPglite],
    only: 'D15.*left by a process of another machine',
  },
  {
    name: 'copied lock',
    promise: 'a lock of a living process that does not name its file is believed, however old its beat',
    mutation: 'remove',
    tests: [folderLock],
    only: 'D15.*a lock of a former version',
  },
  {
    name: 'room on the disk',
    promise: 'a full disk ends a write to PGlite with an error: in the middle it would spin for ever',
    mutation: 'always',
    tests: ['test/integration/db/disk-full.test.ts'],
    only: 'D5 a batch for which',
  },
  {
    name: 'size of files',
    promise:
      'a limit of the size of files (ulimit -f) ends a command with an error: in the middle of a write to PGlite it would spin for ever',
    mutation: 'always',
    tests: ['test/integration/db/disk-full.test.ts'],
    only: 'D5 files as large',
  },
  {
    name: 'connections that end when ready',
    promise:
      'a connection that Postgres ends in the packet in which it becomes ready is an error of the run, not the end of the process',
    mutation: 'remove',
    tests: ['test/integration/db/lost-connections.test.ts'],
    only: 'D18',
  },
  {
    name: 'connections that only read',
    promise:
      'a connection that began while the database was set to read only is closed when it refuses a write: the next one may write',
    mutation: 'never',
    tests: ['test/integration/db/connect.test.ts'],
    only: 'D6 when a database takes writes again',
  },
  {
    name: 'given pools',
    promise: 'a pool that is given is left without listeners of ours, its connections too',
    mutation: 'remove',
    tests: ['test/integration/db/lost-connections.test.ts'],
    only: 'of a pool that is given',
  },
  {
    name: 'listeners of other calls',
    promise:
      'of several calls that use a given pool at the same time, one that ends leaves the listeners to the others: a connection that they lose does not end the process',
    mutation: 'never',
    tests: ['test/integration/library/library.test.ts'],
    only: 'a call that ends leaves the listeners',
  },
  {
    name: 'statements of another copy of pg',
    promise: 'a given pool may be of another version of pg than the one beside this program',
    mutation: { cut: "typeof found === 'function'", put: 'false as boolean' },
    tests: ['test/integration/db/other-drivers.test.ts'],
    only: 'of another version of pg',
  },
  {
    name: 'statements that are not copied',
    promise:
      'an instrumentation that adds comments to statements leaves those of this program alone: copies of them would end the process',
    mutation: { cut: "''", put: 'undefined as unknown as string' },
    tests: ['test/integration/db/other-drivers.test.ts'],
    only: 'adds comments to',
  },
  {
    name: 'values in errors',
    promise: 'no error of the database carries the data of a statement',
    mutation: 'remove',
    tests: ['test/integration/db/connect.test.ts'],
    only: 'hides the values',
  },
  {
    name: 'password in the address',
    promise: 'no part of a password that is not percent-encoded is shown, or looked up as a host',
    mutation: 'never',
    tests: ['test/integration/db/connect.test.ts'],
    only: 'X6',
  },
  {
    name: 'password of another database',
    promise: 'a database gets no password of a URL that names another server, database or user',
    mutation: 'always',
    tests: ['test/integration/db/connect.test.ts'],
    only: 'X6 a password that was changed',
  },
  {
    name: 'TLS to other machines',
    promise: 'a server on another machine is asked for TLS, also where the URL does not mention it',
    mutation: 'always',
    tests: ['test/integration/db/tls.test.ts'],
    only: 'without a word in the URL',
  },
  {
    name: 'channel binding',
    promise:
      'under channel_binding=require only a server is connected that binds the password to its own TLS',
    mutation: 'never',
    tests: ['test/integration/db/tls.test.ts'],
    only: 'channel_binding=require fails',
  },
  {
    name: 'hidden rows',
    promise:
      'rows that row security hides from the role are not taken for missing ones: by a run, by an erasure, in a copy or in a served list',
    mutation: 'never',
    tests: ['test/integration/commands/maintain/row-security.test.ts'],
  },
  {
    name: 'folder for its owner',
    promise: 'the folder of an embedded database is open to its owner only, also one that was there before',
    mutation: 'always',
    tests: [folder],
    only: 'X11 .* of an empty one',
  },
  {
    name: 'encoding',
    promise: 'nothing is written into a database that cannot hold every text as it was sent',
    mutation: 'always',
    tests: ['test/integration/db/encoding.test.ts'],
    only: 'D20 LATIN1',
  },
  {
    name: 'indexes after all loads',
    promise: 'no index is made while another run is live, which may be a first load',
    mutation: { cut: "status = 'running' and", put: 'false and' },
    tests: ['test/integration/db/deferred-indexes.test.ts'],
    only: 'while another run is live',
  },
  {
    name: 'invalid index',
    promise: 'an index that an interrupted build left behind is made again, for Postgres never uses it',
    mutation: 'never',
    tests: ['test/integration/db/deferred-indexes.test.ts'],
    only: 'left invalid',
  },
  {
    name: 'search path',
    promise:
      'no statement of this program calls a function, an operator or a type that somebody else put into a schema of the path of its role',
    mutation: { cut: 'pg_catalog, pg_temp', put: '"$user", public' },
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'what a role that may create schemas put into',
  },
  {
    name: 'path of one statement',
    promise:
      'a statement outside of transactions has the search path of this program, and leaves none behind',
    mutation: { cut: 'OWN_TRANSACTION', put: '{ first: [], last: [] }' },
    tests: ['test/integration/db/pooling.test.ts'],
    only: 'has a search path of its own',
  },
  {
    name: 'path of the queue',
    promise: 'what pg-boss sends outside of transactions has the search path of this program, too',
    mutation: 'always',
    tests: ['test/integration/db/pooling.test.ts'],
    only: 'has a search path of its own',
  },
  {
    name: 'public functions in a query',
    promise: 'query looks for no function in a schema into which another role may put one',
    mutation: 'never',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'somebody else put into the schema public',
  },
]
