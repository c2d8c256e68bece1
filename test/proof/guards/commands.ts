import type { Guard } from './guard.ts'

const dryRun = 'test/integration/dry-run.test.ts'
const accounts = 'test/integration/accounts.test.ts'
const prune = 'test/integration/cli-prune.test.ts'
const attempts = 'test/integration/query-attempts.test.ts'

/** What keeps commands beside the run to what they are asked: those that only look, and the one that deletes. */
export const commandGuards: readonly Guard[] = [
  {
    name: 'read-only transactions',
    promise: 'a dry run needs no right to write, and takes no lock that a run would wait for',
    file: 'src/sync/dry-run.ts',
    text: 'return database.transaction(work, { readOnly: true })',
    instead:
      "return database.transaction(async (trx) => (await trx.query('lock table headcount.events'), work(trx)))",
    tests: [dryRun],
    only: 'takes no account',
  },
  {
    name: 'mirror of nothing',
    promise: 'a dry run makes no schema where there is none',
    file: 'src/sync/dry-run.ts',
    text: 'await database.close()\n      return await openEmpty()',
    instead: 'await migrate(database)\n      return database',
    tests: [dryRun],
    only: 'where there is no mirror',
  },
  {
    name: 'foretold holds',
    promise: 'a dry run foretells what would be held, and the exit code of it',
    file: 'src/load/planning.ts',
    text: 'matters.read(states)',
    instead: '',
    tests: [dryRun],
    only: 'brake holds',
  },
  {
    name: 'asks first',
    promise: 'prune deletes nothing that it was not told to delete',
    file: 'src/commands/prune.ts',
    text: 'flags.yes ?? (await isWanted(context))',
    instead: 'true || (await isWanted(context))',
    tests: [prune],
    only: 'shows what goes',
  },
  {
    name: 'horizon',
    promise: 'history that was pruned in part is never given for the whole',
    file: 'src/load/prune.ts',
    text: " and coalesce(_history_from, '-infinity') < ${before}::timestamptz",
    instead: '',
    tests: [prune],
    only: 'never sets the horizon back',
  },
  {
    name: 'versions beyond',
    promise: 'prune keeps a version that was still live at the moment named',
    file: 'src/load/prune.ts',
    text: 'where account_id = ${account_id} and valid_to <= ${before}::timestamptz',
    instead: 'where account_id = ${account_id} and valid_from <= ${before}::timestamptz',
    tests: [prune],
    only: 'piece by piece',
  },
  {
    name: 'one account removed',
    promise: 'removing an account touches no other',
    file: 'src/load/accounts.ts',
    text: '(select ctid from ${name} where account_id = ${id} ${others} limit',
    instead: '(select ctid from ${name} where true ${others} limit',
    tests: [accounts],
    only: 'postgres.*in bounded pieces',
  },
  {
    name: 'keys of a removed account',
    promise: 'a removal revokes the keys of the account before it deletes a row',
    file: 'src/load/accounts.ts',
    text: 'set revoked_at = now() where account_id = ${id} and revoked_at is null',
    instead: 'set revoked_at = now() where false and account_id = ${id}',
    tests: [accounts],
    only: 'postgres.*broken off',
  },
  {
    name: 'asked before removing',
    promise: 'accounts remove deletes nothing that it was not told to delete',
    file: 'src/commands/accounts-remove.ts',
    text: 'if (!(flags.yes ?? (await isWanted(context)))) {',
    instead: 'if (false) {',
    tests: [accounts],
    only: 'list, rename',
  },
  {
    name: 'nothing read yet',
    promise: 'query does not answer from tables that nothing was read into',
    file: 'src/commands/filled.ts',
    text: 'if (!accounts.some(isReadable)) throw nothingYet(accounts)',
    instead: '',
    tests: ['test/integration/run-first.test.ts'],
    only: 'on the command line',
  },
  {
    name: 'query as a cursor',
    promise:
      'query takes what the grammar of the server takes for a cursor, so no COPY and nothing else that is no query',
    file: 'src/commands/ask.ts',
    text: '      await sendPart(send, declare, statement)\n      return fetchAll(send, receive)',
    instead: "      return receive(checked(await sendPart(send, '', statement)))",
    tests: [attempts],
    only: 'X8 nobody',
  },
  {
    name: 'explain as a cursor',
    promise: 'query explains what it would answer, and nothing else',
    file: 'src/commands/ask.ts',
    text: '  await sendPart(send, declare, statement)\n  await send(`close ${cursor}`)\n',
    instead: '',
    tests: [attempts],
    only: 'X8 nobody',
  },
  {
    name: 'locks of a query',
    promise: 'a lock that a function of a query took is given back, also behind a pooling proxy',
    file: 'src/commands/ask.ts',
    text: "    await trx.query('select pg_catalog.pg_advisory_unlock_all()')\n",
    instead: '',
    tests: [attempts],
    only: 'X8 what is left',
  },
]
