/** The names, units and descriptions of what is measured, each once. Prometheus' names follow from them. */

export interface Declaration {
  readonly name: string
  /** As UCUM writes it: `s`, or an annotation such as `{row}`. */
  readonly unit: string
  readonly description: string
}

/** Of runs, and of what they find. */
export const ofRuns = {
  duration: { name: 'headcount.run.duration', unit: 's', description: 'Duration of runs.' },
  lastSuccess: {
    name: 'headcount.run.last_success',
    unit: 's',
    description: 'When the last good run began, in seconds since 1970.',
  },
  rows: {
    name: 'headcount.run.rows',
    unit: '{row}',
    description: 'Rows of live tables that runs inserted, updated or deleted.',
  },
  held: {
    name: 'headcount.run.held',
    unit: '{row}',
    description: 'Deletions on hold after the last run.',
  },
  rejects: {
    name: 'headcount.run.rejects',
    unit: '{item}',
    description: 'Items that could not be stored after the last run, without those that were accepted.',
  },
  concurrency: {
    name: 'headcount.run.concurrency',
    unit: '{request}',
    description: 'Requests at once that the service is asked at most.',
  },
  pace: {
    name: 'headcount.run.pace',
    unit: '{request}/s',
    description: 'Requests a second that the service takes; absent while it rejects none.',
  },
} as const satisfies Readonly<Record<string, Declaration>>

/** Of the accounts file. */
export const ofAccounts = {
  faultyEntries: {
    name: 'headcount.accounts.faulty_entries',
    unit: '{entry}',
    description:
      'Entries of the accounts file that cannot be used; a file that cannot be read counts as one.',
  },
} as const satisfies Readonly<Record<string, Declaration>>

/** Of mirrors as they are in the database. */
export const ofMirrors = {
  accounts: {
    name: 'headcount.mirror.accounts',
    unit: '{account}',
    description: 'Accounts that are mirrored, or that the accounts file lists.',
  },
  age: {
    name: 'headcount.mirror.age',
    unit: 's',
    description: 'Time since the last good run began.',
  },
  rows: { name: 'headcount.mirror.rows', unit: '{row}', description: 'Rows of live tables.' },
  due: {
    name: 'headcount.mirror.events_due',
    unit: '{event}',
    description: 'Events whose responses are to be read by the next run.',
  },
  failing: {
    name: 'headcount.mirror.failing_lists',
    unit: '{list}',
    description: 'Lists that the last run could not read.',
  },
  heldTooLong: {
    name: 'headcount.mirror.held_too_long',
    unit: '{row}',
    description: 'Deletions that are held for longer than --hold-for, or that time never confirms.',
  },
} as const satisfies Readonly<Record<string, Declaration>>
