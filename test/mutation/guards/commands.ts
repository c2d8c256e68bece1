import type { Guard } from './guard.ts'

const dryRun = 'test/integration/sync/dry-run.test.ts'
const accounts = 'test/integration/commands/maintain/accounts.test.ts'
const prune = 'test/integration/commands/maintain/prune.test.ts'
const attempts = 'test/integration/commands/inspect/query-attempts.test.ts'
const exported = 'test/integration/commands/inspect/export.test.ts'
const exportFolder = 'test/integration/commands/inspect/export-folder.test.ts'
const held = 'test/integration/commands/serve/held-data-dir.test.ts'

/** What keeps commands beside the run to what they are asked: those that only look, and the one that deletes. */
export const commandGuards: readonly Guard[] = [
  {
    name: 'read-only transactions',
    promise: 'a dry run needs no right to write, and takes no lock that a run would wait for',
    mutation: {
      replace:
        "database.transaction(async (trx) => (await trx.query('lock table headcount.events'), work(trx)))",
    },
    tests: [dryRun],
    only: 'takes no account',
  },
  {
    name: 'mirror of nothing',
    promise: 'a dry run makes no schema where there is none',
    mutation: { replace: '(await migrate(database), false)' },
    tests: [dryRun],
    only: 'where there is no mirror',
  },
  {
    name: 'holds of a dry run',
    promise: 'a dry run says what would be held, and the exit code of it',
    mutation: 'remove',
    tests: [dryRun],
    only: 'brake holds',
  },
  {
    name: 'asks before erasing',
    promise: 'nobody is erased whom nobody confirmed',
    mutation: 'never',
    tests: ['test/integration/commands/maintain/person-erase.test.ts'],
    only: 'refuses what it cannot do',
  },
  {
    name: 'list of another account',
    promise: 'a suppression list erases nobody in an account that is not its own',
    mutation: 'always',
    tests: ['test/integration/commands/maintain/person-erase.test.ts'],
    only: 'of another account',
  },
  {
    name: 'passwords in hints',
    promise: 'a command in a message repeats no password of the database URL that the call named',
    mutation: 'always',
    tests: ['test/unit/commands/flags-in-hints.test.ts'],
    only: 'never the password',
  },
  {
    name: 'asks first',
    promise: 'prune deletes nothing that it was not told to delete',
    mutation: 'always',
    tests: [prune],
    only: 'shows what goes',
  },
  {
    name: 'horizon',
    promise: 'history that was pruned in part is never given for the whole',
    mutation: { cut: " and coalesce(_history_from, '-infinity') < ${before}::timestamptz" },
    tests: [prune],
    only: 'never sets the horizon back',
  },
  {
    name: 'versions beyond',
    promise: 'prune keeps a version that was still live at the moment named',
    mutation: { cut: 'valid_to <= ${before}', put: 'valid_from <= ${before}' },
    tests: [prune],
    only: 'piece by piece',
  },
  {
    name: 'both clocks to prune',
    promise: 'a clock of the database that is ahead prunes nothing that is not old',
    mutation: { cut: 'least(now(), ${new Date().toISOString()}::timestamptz)', put: 'now()' },
    tests: [prune],
    only: 'clock that is behind',
  },
  {
    name: 'responses pruned first',
    promise: 'of what a broken-off prune left of a removed event names are forgotten',
    mutation: { cut: 'rank(one.table) - rank(other.table)', put: 'rank(other.table) - rank(one.table)' },
    tests: ['test/integration/sync/personal-data/retention.test.ts'],
    only: 'postgres.*prune was broken off',
  },
  {
    name: 'one account removed',
    promise: 'removing an account touches no other',
    mutation: { cut: 'where account_id = ${id} ${others}', put: 'where true ${others}' },
    tests: [accounts],
    only: 'postgres.*in bounded pieces',
  },
  {
    name: 'parts of a table',
    promise: 'removing an account, and prune, delete nothing else where an operator divided a table',
    mutation: { cut: 'and (tableoid, ctid) in (select part, place from old)', put: '' },
    tests: ['test/integration/outputs/transfer/partitioned.test.ts'],
    only: 'takes no row of another part',
  },
  {
    name: 'keys of a removed account',
    promise: 'a removal revokes the keys of the account before it deletes a row',
    mutation: { cut: 'where account_id', put: 'where false and account_id' },
    tests: [accounts],
    only: 'postgres.*broken off',
  },
  {
    name: 'asked before removing',
    promise: 'accounts remove deletes nothing that it was not told to delete',
    mutation: 'never',
    tests: [accounts],
    only: 'list, rename',
  },
  {
    name: 'nothing read yet',
    promise: 'query does not answer from tables that nothing was read into',
    mutation: 'remove',
    tests: ['test/integration/sync/open/first.test.ts'],
    only: 'on the command line',
  },
  {
    name: 'query as a cursor',
    promise:
      'query takes what the grammar of the server takes for a cursor, so no COPY and nothing else that is no query',
    mutation: { replace: "return reader.receive(await sendText(send, '', statement)).then(() => false)" },
    tests: [attempts],
    only: 'X8 nobody',
  },
  {
    name: 'explain as a cursor',
    promise: 'query explains what it would answer, and nothing else',
    mutation: { replace: 'await send(`${declare} select 1`)' },
    tests: [attempts],
    only: 'X8 nobody',
  },
  {
    name: 'locks of a query',
    promise: 'a lock that a function of a query took is given back, also behind a pooling proxy',
    mutation: 'remove',
    tests: [attempts],
    only: 'X8 what is left',
  },
  {
    name: 'statements of an interrupted read',
    promise: 'a query that a signal ends does not go on in the database',
    mutation: 'remove',
    tests: ['test/integration/commands/inspect/query.test.ts'],
    only: 'is cancelled on the server',
  },
  {
    name: 'statements of an interrupted call',
    promise: 'a query of a program that its signal ends does not go on in the database',
    mutation: { cut: 'cancelReadsOnAbort(opened, signal)', put: 'opened' },
    tests: ['test/integration/library/interrupted-calls.test.ts'],
    only: 'is ended in Postgres',
  },
  {
    name: 'query through the socket',
    promise: 'a statement that comes over the control socket of a folder cannot write either',
    mutation: { replace: 'await database.transaction(async (trx) => receive(await trx.query(sql)))' },
    tests: [held],
    only: 'X12',
  },
  {
    name: 'calls of the socket',
    promise: 'the control socket of a folder does the calls of its list, and nothing else',
    mutation: { body: "return write(encodeLine('value', null))" },
    tests: [held],
    only: 'X12',
  },
  {
    name: 'version of the caller',
    promise: 'a command does not read what a process of another version wrote',
    mutation: 'remove',
    tests: [held],
    only: 'X12',
  },
  {
    name: 'socket for its owner',
    promise: 'the control socket of a folder takes calls of its owner only',
    mutation: { replace: '0o666' },
    tests: [held],
    only: 'X12',
  },
  {
    name: 'runs before queries',
    promise:
      'a query through the process that has the folder open keeps a run, or a client of serve, waiting for 5 s at most',
    mutation: 'always',
    tests: [held],
    only: 'a query that nobody reads',
  },
  {
    name: 'statements that compute',
    promise:
      'a statement that computes on PGlite is ended when its time is over, and cannot keep runs or serve from going on',
    mutation: { replace: 'query(text)' },
    tests: ['test/integration/db/statement-timeout.test.ts'],
    only: 'is ended when its time is over',
  },
  {
    name: 'statements of others',
    promise: 'a cancel that comes when Postgres does not compute ends nothing, and moves no clock',
    mutation: 'remove',
    tests: ['test/integration/db/statement-timeout.test.ts'],
    only: 'D24 a cancel that comes too late',
  },
  {
    name: 'others before queries',
    promise:
      'a query through the process that has the folder open computes for 4 s at most, whatever --timeout allows',
    mutation: { replace: 'Infinity' },
    tests: [held],
    only: 'D24',
  },
  {
    name: 'formulas in an export',
    promise: 'with --safe-csv no text of an exported file is a formula to a spreadsheet',
    mutation: { replace: 'name' },
    tests: ['test/integration/outputs/export/formats.test.ts'],
    only: 'that it would run',
  },
  {
    name: 'export without personal data',
    promise: 'an export without personal data has no name, address or message in it',
    mutation: { replace: '{ name, relation: name }' },
    tests: [exported],
    only: 'without personal data',
  },
  {
    name: 'the folder of somebody else',
    promise: 'an export replaces no file that an export did not write',
    mutation: 'never',
    tests: [exported],
    only: 'refuses a folder',
  },
  {
    name: 'files of an unfinished export',
    promise:
      'an export that a signal, a full disk or a kill ends before all its files are whole leaves the former one as it was',
    mutation: { replace: 'replaced' },
    tests: [exported],
    only: 'leaves the former export',
  },
  {
    name: 'files of an export that was killed',
    promise: 'after an export that was killed while its files got their names the next one succeeds',
    mutation: { replace: 'null' },
    tests: [exportFolder],
    only: 'is whole again',
  },
  {
    name: 'files of somebody else after a kill',
    promise: 'after an export that was killed no file is replaced or removed that it had not written',
    mutation: { cut: 'sha256 === found[index]', put: 'found[index] === sha256 || true' },
    tests: [exportFolder],
    only: 'loses no file of somebody else',
  },
  {
    name: 'two exports in one folder',
    promise:
      'of two exports into one folder at once the second is refused, and the folder holds what its manifest lists',
    mutation: { replace: 'lock = { assertHeld: () => {}, release: async () => {} }' },
    tests: [exportFolder],
    only: 'one export at a time',
  },
  {
    name: 'a COPY that is left',
    promise: 'an export that cannot go on ends at once, however much the database would still send',
    mutation: 'remove',
    tests: ['test/integration/load/copy-out.test.ts'],
    only: 'its receiver fails',
  },
  {
    name: 'role of a sync',
    promise: 'the role of a sync does not become a reader: its next run could not write',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'permissions.md syncs',
  },
  {
    name: 'attributes of a reader',
    promise: 'no role that may create roles, or copy the server, becomes a reader',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'may do more than read',
  },
  {
    name: 'roles of Postgres',
    promise:
      "no member of a role of Postgres' own becomes a reader: it could read files of the server, or the statements of others",
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'may do more than read',
  },
  {
    name: 'more than select',
    promise: 'no role with more than select on a table of the mirror becomes a reader',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'may do more than read',
  },
  {
    name: 'functions of the owner',
    promise: 'no reader without names calls a function that runs with the rights of the owner',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'may do more than read',
  },
  {
    name: 'schemas of a reader',
    promise: 'no role that may create schemas in the database becomes a reader',
    mutation: 'remove',
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'may do more than read',
  },
  {
    name: 'another role of the name',
    promise: 'a role that was made anew under the name of a reader who was dropped reads nothing',
    mutation: { replace: 'sql`true`' },
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'grants readers anew',
  },
  {
    name: 'what a run needs',
    promise: 'doctor asks for no right on the tables of keys and secrets, which no run uses',
    mutation: { replace: '[[]]' },
    tests: ['test/integration/commands/maintain/readers.test.ts'],
    only: 'with the grants of docs/operate/permissions.md',
  },
]
