import { name as digestName } from '../../../common/parse-values.ts'
import { parseSince, parseSinceOrLast } from '../../../mirror/instants/parse-since.ts'
import type { CommandGroup } from '../command-spec.ts'
import * as options from '../options.ts'

const loadPerson = () => import('../../answers/person.ts')
const loadErasure = () => import('../../maintain/persons/person-erase.ts')

const personCommands: CommandGroup = {
  heading: 'Personal data:',
  commands: [
    {
      name: 'show',
      load: async () => (await loadPerson()).personShow,
      summary: 'show everything that is held of one person',
      description:
        'Shows every response with this e-mail address, also where it had the address only in a former version, all former versions ' +
        'of these responses, and other places that name the address: messages, unknown fields, items that could not be stored, ' +
        'reports of runs. The letters A to Z may be in upper or lower case; an address that has other letters in another case is shown ' +
        'among the other places. Reads the whole mirror; changes nothing.',
      examples: [
        ['person show ada@example.org', 'in all accounts'],
        ['person show ada@example.org --json > ada.json', 'a file to hand out'],
      ],
      args: [['<email>', 'an e-mail address']],
      options: options.ofAccounts(),
    },
    {
      name: 'erase',
      load: async () => (await loadErasure()).personErase,
      summary: 'erase one person, and keep them erased',
      description:
        'Shows what is held with this e-mail address, asks, and erases names, addresses, messages and unknown fields of these responses, ' +
        'live and in history. Replies, quantities, payments and slots stay, without a name. The person is put on the suppression list, ' +
        'by a keyed hash of the address and by the ids of the responses: later runs store their responses without personal data. ' +
        'Refused while a run of the account is in progress (exit 9). After an interruption run it again; the next sync would go on, too. ' +
        'At the end the tables are rewritten (VACUUM FULL); while a table is being rewritten it cannot be read. Needs HEADCOUNT_PERSON_KEY_FILE, as does ' +
        'every run from then on. If that file is lost: --replace-key with a new one, and people erased earlier are then recognised only by ' +
        'the ids of their responses; erase them again.',
      examples: [
        ['person erase ada@example.org', 'show what will be erased, and ask'],
        ['person erase ada@example.org --yes --json > receipt.json', 'without asking'],
        ['person erase --suppressions list.json --account north', 'after a backup was restored'],
      ],
      args: [['[email]', 'an e-mail address']],
      options: [
        options.flag('--yes', 'do not ask'),
        options.flag(
          '--suppressions <file>',
          'everybody on this list of the same account, as person suppressions --json printed it',
        ),
        options.flag('--no-vacuum', 'leave the old bytes in the tables to the next vacuum'),
        options.flag('--replace-key', 'replace a lost key by this new one'),
        ...options.ofChange('print the receipt', 'of this account'),
      ],
    },
    {
      name: 'restore',
      load: async () => (await loadErasure()).personRestore,
      summary: 'take a person off the suppression list',
      description:
        'The next sync brings back what the service still sends of the person. Former versions stay erased. Refused while a run of the ' +
        'account is in progress (exit 9).',
      examples: [['person restore ada@example.org', 'by the address']],
      args: [['<email>', 'an e-mail address']],
      options: options.ofChange('print what was done', 'of this account'),
    },
    {
      name: 'suppressions',
      load: async () => (await loadErasure()).personSuppressions,
      summary: 'list who was erased, as keyed hashes',
      description:
        'Prints the suppression list of an account. With --json it is the document that person erase --suppressions takes: keep it beside ' +
        'your backups, for a restored backup brings back whom you erased since.',
      examples: [['person suppressions --account north --json > list.json', 'after each erasure']],
      options: [options.json('print the list'), options.account('of this account'), options.database()],
    },
  ],
}

export const answerCommands: CommandGroup = {
  heading: 'Answers from the mirror:',
  commands: [
    {
      name: 'events',
      load: async () => (await import('../../answers/events.ts')).events,
      summary: 'list coming events: people expected, money, thin slots',
      description:
        'Lists events in figures: how many people to expect, what was paid, which slots need people, what is new. The figures come ' +
        'from the view event_summary. The service has no attendance, no capacity and no currency: "expected" counts answers, each person once.',
      examples: [
        ['events', 'those to come'],
        ['events --past --limit 5', 'the last five'],
      ],
      options: [
        options.flag('--past', 'those that are over, the latest first'),
        options.flag('--all', 'all, in the order of time'),
        options.limit('50'),
        ...options.ofAccounts(),
      ],
    },
    {
      name: 'event',
      load: async () => (await import('../../answers/event.ts')).event,
      summary: 'show one event: who comes, pace, slots, payments, changes',
      description:
        'Shows one event: who is expected, how the responses came in beside earlier events of the same kind, its slots, its payments, and ' +
        'what changed since the first reading.',
      examples: [['event gala-2026', 'by its id, as events lists it']],
      args: [['<id>', 'the id of the event']],
      options: [options.limit('20', 'show at most this many persons, and changes'), ...options.ofAccounts()],
    },
    {
      name: 'who-comes',
      load: async () => (await import('../../answers/who-comes.ts')).whoComes,
      summary: 'list who is expected at an event, or their addresses',
      description:
        'Lists each person who is expected at an event: by a reply that means coming, a payment or a sign-up. With --format plain only ' +
        'the e-mail addresses, one a line; persons without an address are left out.',
      examples: [
        ['who-comes gala-2026', 'the guest list'],
        ['who-comes gala-2026 --format plain', 'addresses for a mail program'],
      ],
      args: [['<id>', 'the id of the event']],
      options: [
        options.choice('--format <name>', 'table or plain', ['table', 'plain']),
        ...options.ofAccounts(),
      ],
    },
    {
      name: 'who',
      load: async () => (await import('../../answers/who.ts')).who,
      summary: 'show one person over all events',
      description:
        'Finds persons by an e-mail address (A to Z in upper or lower case), or by a part of a name, and shows what they ' +
        'answered. A person is an e-mail address; a response without one is a person of its own.',
      examples: [
        ['who ada@example.org', 'by the address'],
        ['who lovelace', 'by a part of the name'],
      ],
      args: [['<name-or-email...>', 'an e-mail address, or a part of a name']],
      options: [options.limit('10', 'show at most this many persons'), ...options.ofAccounts()],
    },
    {
      name: 'person',
      load: async () => (await loadPerson()).person,
      summary: 'show or erase everything that is held of one person',
      description:
        'For whoever asks what is stored of them: every response, every former version, and every other place that names the address. ' +
        'docs/personal-data.md says what is held where, and for how long.',
      examples: [
        ['person show ada@example.org', 'by the address'],
        ['person erase ada@example.org', 'erase them, and keep them erased'],
      ],
      group: personCommands,
    },
    {
      name: 'changes',
      load: async () => (await import('../../answers/changes.ts')).changes,
      summary: 'list what changed since yesterday, a run or a time',
      description:
        'Lists what runs changed, the newest run first: who answered, changed or withdrew a response, and which events were announced, ' +
        'changed or are no longer listed. Items found by the first reading of a list existed before; they are counted separately.',
      examples: [
        ['changes', 'since midnight of yesterday'],
        ['changes --since 41', 'after run 41'],
        ['changes --since 7d --event gala-2026', 'of one event in the last week'],
      ],
      options: [
        options.checked(
          '--since <when>',
          'yesterday (in the zone of the account), the number of a run, a date (from midnight UTC), an instant or an age like 7d',
          parseSince,
          'yesterday',
        ),
        options.flag('--event <id>', 'only this event'),
        options.limit('50'),
        ...options.ofAccounts(),
      ],
    },
    {
      name: 'digest',
      load: async () => (await import('../../answers/digest.ts')).digest,
      summary: 'tell in short what happened, on stdout, by mail or in a chat',
      description:
        'Tells what became of events and responses, most important first, ten of each kind by name: what came and went meanwhile is ' +
        'left out, and what changed twice is told once. Then the money, the slots of the next 7 days that need people, and whether the ' +
        'mirror is whole and fresh. First readings are no news. Where nothing is new, nothing is printed or sent. With --since last each ' +
        'recipient is told what changed since the last digest that was accepted, at least once: the first one only says so. A message ' +
        'that was not accepted ends with exit 1. docs/calendars-and-mail.md tells how worker and serve --sync send digests by themselves.',
      examples: [
        ['digest', 'of the last 24 hours'],
        ['digest --since 41 --always', 'after run 41, also when nothing happened'],
        ['digest --since last --to mailto:ada@example.org', 'from cron, every morning'],
        ['digest --since last --send --quiet', 'to HEADCOUNT_DIGEST_TO'],
      ],
      options: [
        options.checked(
          '--since <when>',
          'last, the number of a run, yesterday, a date (from midnight UTC), an instant or an age like 1d',
          parseSinceOrLast,
          '1d',
        ),
        options.flag('--event <id>', 'only this event'),
        options
          .flag('--to <where>', 'stdout, mailto:a@example.org,b@example.org or an https:// address')
          .conflicts('send'),
        options.flag(
          '--send',
          'send it to the recipients of HEADCOUNT_DIGEST_TO (or HEADCOUNT_DIGEST_TO_FILE)',
        ),
        options.checked(
          '--name <name>',
          'of several digests to one recipient: each goes on by itself',
          digestName,
        ),
        ...options.of('withPersonal'),
        options.flag('--always', 'also when nothing is new'),
        options.force(),
        options.quiet('nothing about what was sent'),
        ...options.ofAccounts(),
      ],
    },
    {
      name: 'thin',
      load: async () => (await import('../../answers/thin.ts')).thin,
      summary: 'list slots of the next 56 days that need people',
      description:
        'Lists upcoming slots with fewer people than their target (slot-targets, default 2), and slots that have been empty since ' +
        'their last sign-up was withdrawn. A slot that nobody ever took is in no response, so headcount does not know it.',
      examples: [['thin --json', 'for a program']],
      options: [options.limit('50'), ...options.ofAccounts()],
    },
  ],
}
