import type { Guard } from '../guard.ts'

const links = 'test/integration/server/links.test.ts'

/** What keeps links to those who have them, true, and cheap. */
export const linkGuards: readonly Guard[] = [
  {
    name: 'state of a link',
    promise: 'a link that is revoked or expired shows nothing, from the next request on',
    mutation: 'never',
    tests: [links],
    only: 'wrong, revoked and expired',
  },
  {
    name: 'rows of one account',
    promise: 'a link, and an export of an account, shows no row of another account',
    mutation: 'remove',
    tests: [links],
    only: 'of its own account alone',
  },
  {
    name: 'people erased from links',
    promise: 'a link does not show an erased person out of memory',
    mutation: { replace: "''" },
    tests: [links],
    only: 'postgres.*erased person',
  },
  {
    name: 'removed views',
    promise: 'a link to a view that a migration removed says so',
    mutation: 'never',
    tests: [links],
    only: 'that no longer exists',
  },
  {
    name: 'markup in a page',
    promise: 'no name or message is markup in the page of a link',
    mutation: { replace: 'buffer[0] = text' },
    tests: [links],
    only: 'postgres.*a page without scripts',
  },
  {
    name: 'cancelled entries',
    promise: 'what went is cancelled in calendars that have it',
    mutation: { replace: 'ICalEventStatus.CONFIRMED' },
    tests: [links],
    only: 'postgres.*cancelled when they went',
  },
  {
    name: 'equal calendars',
    promise: 'a calendar in which nothing changed is the same bytes',
    mutation: { replace: 'new Date()' },
    tests: [links],
    only: 'postgres.*the same bytes',
  },
  {
    name: 'once a minute',
    promise: 'a link is computed once a minute at most, whoever asks',
    mutation: { cut: '< keptFor(last)', put: '< 0' },
    tests: [links],
    only: 'once a minute at most',
  },
  {
    name: 'one computation at a time',
    promise: 'all links together take one connection of the database',
    mutation: { replace: 'pLimit(9)' },
    tests: [links],
    only: 'once a minute at most',
  },
  {
    name: 'time of a link',
    promise: 'a link computes for ten seconds at most',
    mutation: { replace: 'await trx.query(text)' },
    tests: [links],
    only: 'within a time and a size',
  },
  {
    name: 'size of a link',
    promise: 'the body of a link takes bounded memory',
    mutation: 'never',
    tests: [links],
    only: 'within a time and a size',
  },
  {
    name: 'size of a calendar',
    promise: 'a calendar of long texts is refused before it takes the memory of the process',
    mutation: 'never',
    tests: [links],
    only: 'odd texts.*calendar',
  },
  {
    name: 'line breaks in a cell',
    promise: 'no line of a text begins a row of a spreadsheet, where it could be a formula',
    mutation: { cut: ', quoted_match: /[\\r\\n\\t;]/' },
    tests: [links],
    only: 'odd texts.*CSV',
  },
  {
    name: 'tokens in a log',
    promise: 'no log holds what opens a link',
    mutation: 'remove',
    tests: [links],
    only: 'is in no log',
  },
  {
    name: 'escapes in a log',
    promise: 'no log holds what opens a link, however it is escaped beside what cannot be read',
    mutation: 'unwrap',
    tests: [links],
    only: 'is in no log',
  },
  {
    name: 'locked tables of links',
    promise: 'a link whose table was locked is there as soon as the table is free',
    mutation: { replace: '20_000' },
    tests: ['test/integration/server/links.test.ts'],
    only: 'is locked',
  },
]
