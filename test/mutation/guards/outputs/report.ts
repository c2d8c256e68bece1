import type { Guard } from '../guard.ts'

const command = 'test/integration/commands/inspect/report.test.ts'

/** What keeps a report to those whom it is for, and a link to it cheap. */
export const reportGuards: readonly Guard[] = [
  {
    name: 'names in a report',
    promise: 'what changed this week names nobody in a report without personal data',
    mutation: { cut: 'with_personal ? parts : withoutPersonalData(parts)', put: 'parts' },
    tests: [command],
    only: 'postgres.*with names or without',
  },
  {
    name: 'guests in a report',
    promise: 'the page of an event without personal data has no guest list',
    mutation: 'always',
    tests: [command],
    only: 'postgres.*with names or without',
  },
  {
    name: 'names behind a link to a report',
    promise: 'a link to the report shows names only when they were asked for',
    mutation: { replace: "{ view: REPORT, format: 'html', with_personal: true }" },
    tests: [command],
    only: 'postgres.*through serve',
  },
  {
    name: 'who reads a report',
    promise: 'a file with names and addresses can be read by its owner alone',
    mutation: 'never',
    tests: ['test/integration/outputs/report/report-file.test.ts'],
    only: 'a mode by what it tells',
  },
  {
    name: 'scripts of a report',
    promise: 'in the page of a report nothing runs but its own script, which the policy knows by its hash',
    mutation: 'remove',
    tests: ['test/integration/outputs/report/report-page.test.ts'],
    only: 'by the keyboard alone',
  },
  {
    name: 'time of a report',
    promise: 'a link to the report computes for ten seconds at most',
    mutation: 'always',
    tests: ['test/integration/outputs/report/report-link.test.ts'],
    only: 'longer than a link may',
  },
]
