import { integer } from '../../../common/parse-values.ts'
import type { CommandGroup, CommandSpec } from '../command-spec.ts'
import * as options from '../options.ts'

const loadMeanings = () => import('../../maintain/rsvp-meanings.ts')
const loadReaders = () => import('../../maintain/readers.ts')
const loadTargets = () => import('../../maintain/slot-targets.ts')

const meaningCommands: CommandGroup = {
  heading: 'Meanings of replies:',
  commands: [
    {
      name: 'set',
      load: async () => (await loadMeanings()).rsvpMeaningsSet,
      summary: 'say what a reply means',
      description:
        'Replies with exactly this value count as coming, maybe or not_coming, in every account and from now on. A value that ' +
        'no response has now is accepted too; the most similar value in use is then named.',
      examples: [
        ['rsvp-meanings set yes! coming', 'who answers "yes!" comes'],
        ['rsvp-meanings set "not sure" maybe', 'a value with a space'],
      ],
      args: [
        ['<value>', 'the reply as the service spells it'],
        ['<meaning>', 'coming, maybe or not_coming'],
      ],
      options: options.ofChange('print what was set'),
    },
    {
      name: 'remove',
      load: async () => (await loadMeanings()).rsvpMeaningsRemove,
      summary: 'remove the meaning of a reply',
      description: 'Replies with this value count as unknown from now on.',
      examples: [['rsvp-meanings remove yes!', 'the value is shown by rsvp-meanings']],
      args: [['<value>', 'the value, as shown by rsvp-meanings']],
      options: options.ofChange('print what was removed'),
    },
  ],
}

/** Which slots: of one event or every one, of one name or any. */
const scope = () => [
  options.flag('--event <id>', 'only of this event; default every event'),
  options.flag('--slot <name>', 'only slots of exactly this name; default every slot'),
]

const targetCommands: CommandGroup = {
  heading: 'Targets of slots:',
  commands: [
    {
      name: 'set',
      load: async () => (await loadTargets()).slotTargetsSet,
      summary: 'say how many people a slot wants',
      description:
        'The most specific target counts: event and slot, slot, event, neither; without any, 2. A slot that nobody takes now ' +
        'is accepted too; the most similar slot is then named.',
      examples: [
        ['slot-targets set --slot Door --wanted 3', 'at the door of every event'],
        ['slot-targets set --event gala-2026 --slot Door --wanted 6', 'at this one'],
        ['slot-targets set --wanted 4', 'every other slot'],
      ],
      options: [
        ...scope(),
        options
          .checked('--wanted <n>', 'people wanted', integer({ min: 1, max: 2_147_483_647 }))
          .makeOptionMandatory(),
        ...options.ofChange('print what was set', 'the account of the slots'),
      ],
    },
    {
      name: 'remove',
      load: async () => (await loadTargets()).slotTargetsRemove,
      summary: 'remove a target',
      description:
        'Removes the one target with exactly this event and slot. The next more general one counts from now on.',
      examples: [
        ['slot-targets remove --slot Door', 'the one for every event'],
        ['slot-targets remove', 'the one for every other slot'],
      ],
      options: [...scope(), ...options.ofChange('print what was removed', 'the account of the slots')],
    },
  ],
}

const apply = () => options.flag('--apply', 'run the statements in one transaction, instead of printing them')

const readerCommands: CommandGroup = {
  heading: 'Roles that may read:',
  commands: [
    {
      name: 'add',
      load: async () => (await loadReaders()).readersAdd,
      summary: 'let a role read the mirror, and nothing else',
      description:
        'Prints the statements that make a role which may read the views, the live tables and history, or runs them. It may never read ' +
        'keys, runs, rejects or secrets, and writes nothing. Every later migration renews its grants. Postgres only.',
      examples: [
        ['readers add ann', 'the statements, for psql'],
        ['readers add ann --apply', 'run them'],
        ['readers add ben --without-personal --apply', 'no names, addresses and messages'],
      ],
      args: [['<name>', 'the role; it is made when there is none']],
      options: [
        options.flag('--without-personal', 'only what holds no names, addresses and messages'),
        apply(),
        options.force(),
        options.database(),
      ],
    },
    {
      name: 'remove',
      load: async () => (await loadReaders()).readersRemove,
      summary: 'take all rights from a reader',
      description:
        'Prints the statements that take from a reader what it may read, or runs them. The role itself stays.',
      examples: [['readers remove ann --apply', 'the name is shown by readers']],
      args: [['<name>', 'the role, as shown by readers']],
      options: [apply(), options.force(), options.database()],
    },
    {
      name: 'list',
      load: async () => (await loadReaders()).readersList,
      summary: 'the same as readers',
      description: 'Lists the roles that may read the mirror, and whether they see personal data.',
      examples: [['readers list --json', 'for a program']],
      options: [options.json('print the same'), options.database()],
    },
  ],
}

/** What the owner says and no service knows. */
export const ownerCommands: readonly CommandSpec[] = [
  {
    name: 'rsvp-meanings',
    load: async () => (await loadMeanings()).rsvpMeanings,
    summary: 'list, set or remove what a reply means: coming, maybe or not_coming',
    description:
      'Lists what each value of rsvp means and how many responses have it, then the values that have no meaning yet: the ' +
      'views count these as unknown. At first yes is coming, maybe is maybe, and no is not_coming.',
    examples: [
      ['rsvp-meanings', 'list them'],
      ['rsvp-meanings set yes! coming', 'who answers "yes!" comes'],
      ['rsvp-meanings remove yes!', 'undo it'],
    ],
    options: [options.limit('100'), ...options.ofAccounts('count the responses of this account only')],
    group: meaningCommands,
  },
  {
    name: 'slot-targets',
    load: async () => (await loadTargets()).slotTargets,
    summary: 'list, set or remove how many people a slot wants',
    description:
      'Lists the targets: how many people are wanted in which slots. The view thin_slots compares with them. The most specific ' +
      'one counts: event and slot, slot, event, neither; without any, 2.',
    examples: [
      ['slot-targets', 'list them'],
      ['slot-targets set --slot Door --wanted 3', 'at the door of every event'],
      ['slot-targets remove --slot Door', 'undo it'],
    ],
    options: options.ofAccounts(),
    group: targetCommands,
  },
  {
    name: 'readers',
    load: async () => (await loadReaders()).readersList,
    summary: 'list, add or remove roles that may read the mirror',
    description:
      'Lists the roles that may read the mirror, and whether they see names and addresses. docs/operate/permissions.md says what each kind may read.',
    examples: [
      ['readers', 'list them'],
      ['readers add ann --without-personal', 'the statements for a role that sees no names'],
    ],
    options: [options.json('print the same'), options.database()],
    group: readerCommands,
  },
]
