import type { CommandSpec } from '../command-spec.ts'
import * as options from '../options.ts'

const load = () => import('../../inspect/queue.ts')

const whatItLists =
  'Lists the jobs of worker --queue: who sends them, how many there are, and for each account whether its job is ready, waits, ' +
  'runs, is tried again, or is dead: its run failed for good, or too often. The next good run of an account removes its dead letter. ' +
  'Each time that the account is due it is tried once more.'

/** What the commands over dead letters take. @param printed with `--json` */
const ofDeadLetters = (printed: string): Pick<CommandSpec, 'args' | 'options'> => ({
  args: [['[account...]', 'accounts with a dead letter']],
  options: [options.flag('--all', 'every dead letter'), ...options.ofChange(printed)],
})

export const queueCommand: CommandSpec = {
  name: 'queue',
  load: async () => (await load()).queue,
  summary: 'list the jobs of worker --queue, the dead ones first',
  description: whatItLists,
  examples: [
    ['queue', 'all jobs'],
    ['queue show north', 'why the job of this account is not done'],
    ['queue retry --all', 'try every dead one again now'],
  ],
  options: [options.limit('100'), ...options.ofAccounts()],
  group: {
    heading: 'The queue:',
    commands: [
      {
        name: 'list',
        load: async () => (await load()).queue,
        summary: 'the same as queue',
        description: whatItLists,
        examples: [['queue list --json', 'for a program']],
        options: [options.limit('100'), ...options.ofAccounts()],
      },
      {
        name: 'show',
        load: async () => (await load()).queueShow,
        summary: 'show the job of an account: its tries, and why it failed',
        description:
          'Shows the job of an account and its dead letter, if it has one: how often it was tried, when it is tried next, and why it failed last.',
        examples: [['queue show north', 'this account']],
        args: [['<account>', 'its name, as shown by queue']],
        options: [options.json('print the same'), options.database()],
      },
      {
        name: 'retry',
        load: async () => (await load()).queueRetry,
        summary: 'try dead jobs again now',
        description:
          'Sends the jobs of dead letters again, all in one transaction, and removes the letters. An account whose job is there ' +
          'already gets no second one. First mend what failed: queue show says what it was.',
        examples: [
          ['queue retry north south', 'these accounts'],
          ['queue retry --all', 'every dead one'],
        ],
        ...ofDeadLetters('print which accounts are tried again'),
      },
      {
        name: 'purge',
        load: async () => (await load()).queuePurge,
        summary: 'remove dead jobs without another try',
        description:
          'Removes dead letters: of accounts that nobody reads any more. An account that workers have is tried at its next due ' +
          'time, with a letter and without.',
        examples: [
          ['queue purge north', 'an account that was taken out of the accounts file'],
          ['queue purge --all', 'every dead one'],
        ],
        ...ofDeadLetters('print whose jobs were removed'),
      },
    ],
  },
}
