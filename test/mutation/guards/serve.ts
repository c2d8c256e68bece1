import type { Guard } from './guard.ts'

const keys = 'test/integration/server/http/foreign-keys.test.ts'
const notReady = 'test/integration/server/stores/not-ready.test.ts'
const slow = 'test/integration/server/http/slow-readers.test.ts'
const floods = 'test/integration/server/http/floods.test.ts'
const http = 'test/integration/server/http/conditional.test.ts'
const versions = 'test/integration/server/stores/versions.test.ts'

/** What keeps the mirror that is served to those it belongs to, true, and up. */
export const serveGuards: readonly Guard[] = [
  {
    name: 'state of a key',
    promise: 'a key that is revoked or expired opens nothing, from the next request on',
    mutation: { cut: " and ${stateOf('key')} = 'active'" },
    tests: [keys],
    only: 'opens nobody',
  },
  {
    name: 'no key, no question',
    promise: 'an empty key is refused, whatever the store says',
    mutation: { replace: 'key !== undefined' },
    tests: ['test/integration/server/service.test.ts'],
    only: 'never shown to a store',
  },
  {
    name: 'host of a service',
    promise: 'a program that names no host does not offer its mirror to the whole network',
    mutation: 'never',
    tests: ['test/integration/library/options.test.ts'],
    only: 'told no host listens to nobody',
  },
  {
    name: 'key before paths',
    promise: 'nobody without a key learns which paths there are',
    mutation: { replace: "handle(() => problem('unknown_path'))" },
    tests: [keys],
    only: 'opens nobody',
  },
  {
    name: 'key before methods',
    promise: 'whoever has no key gets one and the same answer, whatever is asked for in whichever way',
    mutation: { replace: 'handle(methodNotAllowed)' },
    tests: [keys],
    only: 'opens nobody',
  },
  {
    name: 'account of the events served',
    promise: 'a key opens the events of its account alone',
    mutation: { cut: 'e.account_id = ${account}', put: 'true' },
    tests: [keys],
    only: 'own data',
  },
  {
    name: 'account of the responses served',
    promise:
      'a key opens the responses to events of its account alone, also where another has an event of that id',
    mutation: { cut: 'r.account_id = ${account} and ' },
    tests: [keys],
    only: 'own data',
  },
  {
    name: 'schema while serving',
    promise: 'a mirror of another version than the program is not served',
    mutation: 'remove',
    tests: [notReady],
    only: 'schema',
  },
  {
    name: 'not mirrored yet',
    promise: 'a list that no run has read is never served as an empty one',
    mutation: 'never',
    tests: [notReady],
    only: 'not read yet',
  },
  {
    name: 'age of what is served',
    promise:
      'with --max-age nothing older is served, and no run that could not read something makes it younger',
    mutation: 'remove',
    tests: [notReady],
    only: 'max-age',
  },
  {
    name: 'served runs of the future',
    promise: 'a run by a clock that was ahead does not make what is served younger',
    mutation: { replace: 'sql`true`' },
    tests: [notReady],
    only: 'max-age, counted',
  },
  {
    name: 'a held list is not served',
    promise:
      'with --max-age a list of which deletions are held for too long is not served, and the others are',
    mutation: 'remove',
    tests: [notReady],
    only: 'S17',
  },
  {
    name: 'version of a list',
    promise: 'rows of a list that are written give what is served of it another entity-tag',
    mutation: 'never',
    tests: [versions],
    only: 'V2',
  },
  {
    name: 'version of the event list',
    promise:
      'records of events that are written give the event list another entity-tag, whichever run writes them',
    mutation: 'always',
    tests: [versions],
    only: 'V1 follows',
  },
  {
    name: 'version when events go',
    promise:
      'events that are removed are no longer served, also when the run dies before it stores their list',
    mutation: 'never',
    tests: [versions],
    only: 'V3 follows',
  },
  {
    name: 'versions that stay',
    promise: 'a list that was read again and is the same keeps its entity-tag',
    mutation: { cut: 'else state.list_version', put: 'else excluded.list_version' },
    tests: [versions],
    only: 'changes nothing',
  },
  {
    name: 'gone since it was found',
    promise: 'an event that goes while its list is asked for is not answered as one without responses',
    mutation: 'remove',
    tests: [versions],
    only: 'gone when its list is read',
  },
  {
    name: 'clients that leave',
    promise: 'a client that goes away leaves no connection to the database behind',
    mutation: 'remove',
    tests: [slow],
    only: 'goes away',
  },
  {
    name: 'clients that do not read',
    promise:
      'a client that reads nothing, or too slowly, keeps neither a body nor a connection to the database',
    mutation: { replace: 'promise' },
    tests: [slow, floods],
    only: 'does not read|take nothing',
  },
  {
    name: 'pace by what was taken',
    promise: 'a large list comes whole over a slow line',
    mutation: { replace: '0' },
    tests: [slow],
    only: 'as fast as he should',
  },
  {
    name: 'memory for bodies',
    promise: 'bodies on their way take bounded memory, however many clients read slowly',
    mutation: { replace: '0' },
    tests: [floods],
    only: 'a third of all',
  },
  {
    name: 'answers of a key',
    promise: 'a key whose clients do not read leaves two thirds of all answers to others',
    mutation: { replace: '0' },
    tests: [floods],
    only: 'a third of all',
  },
  {
    name: 'as much for others',
    promise: 'whoever has much leaves as much for the next one who comes',
    mutation: { replace: 'amount <= left' },
    tests: ['test/unit/server/fair-allocator.test.ts'],
  },
  {
    name: 'places given way',
    promise: 'slow readers of an account do not shut another one out of its large lists',
    mutation: 'remove',
    tests: [slow],
    only: 'leaves its place',
  },
  {
    name: 'one view without a place',
    promise: 'a large list that gave its place away is cut when it changes, never mixed',
    mutation: 'remove',
    tests: [slow],
    only: 'after it has left',
  },
  {
    name: 'sent ahead together',
    promise: 'requests that are sent ahead take bounded memory over all connections',
    mutation: 'never',
    tests: [floods],
    only: 'who together',
  },
  {
    name: 'stopped at the start',
    promise: 'serve ends with 0 when it is told to stop before it listens',
    mutation: 'always',
    tests: ['test/integration/commands/serve/serve.test.ts'],
    only: 'while its start waits',
  },
  {
    name: 'statements nobody waits for',
    promise: 'serve ends when it is told to, also while statements wait for a lock',
    mutation: { replace: '() => {}' },
    tests: ['test/integration/commands/serve/serve.test.ts'],
    only: 'wait for a lock',
  },
  {
    name: 'locked lists',
    promise: 'a list whose table is locked keeps nobody waiting for longer than some seconds',
    mutation: 'remove',
    tests: [notReady],
    only: 'is locked',
  },
  {
    name: 'one view on PGlite',
    promise: 'a large list is never sent as a part of before and a part of after a change',
    mutation: 'remove',
    tests: [slow],
    only: 'on PGlite',
  },
  {
    name: 'end of one view',
    promise: 'a large list that is deleted while it is sent is cut, never ended where its rows end',
    mutation: 'remove',
    tests: [slow],
    only: 'loses all its other rows',
  },
  {
    name: 'lists of a removed account',
    promise:
      'a list of an account that is being removed is cut or not found, never sent without the rows that are gone',
    mutation: { replace: 'sql`true`' },
    tests: [slow],
    only: 'account is being removed',
  },
  {
    name: 'one answer at a time',
    promise: 'who sends a thousand requests ahead does not have a thousand answers made for him at once',
    mutation: 'remove',
    tests: [http],
    only: 'sent ahead in its order',
  },
  {
    name: 'nothing behind a body',
    promise: 'what a proxy takes for a body is never answered as a request',
    mutation: 'never',
    tests: ['test/integration/server/http/smuggling.test.ts'],
  },
  {
    name: 'one Host',
    promise: 'a request of which two readers may see different hosts is refused',
    mutation: 'never',
    tests: ['test/integration/server/http/smuggling.test.ts'],
    only: 'Host header',
  },
  {
    name: 'long addresses',
    promise: 'an address above 8 KiB is refused as what it is, before anything is looked up',
    mutation: 'never',
    tests: [floods],
    only: 'X7 sizes',
  },
  {
    name: 'large headers',
    promise: 'headers above 16 KiB are refused as what they are',
    mutation: 'never',
    tests: [floods],
    only: 'X7 sizes',
  },
  {
    name: 'listeners that throw',
    promise:
      'an answer does not depend on whether its failure can be told, and nothing is written to the console',
    mutation: 'unwrap',
    tests: [http],
    only: 'a listener that throws',
  },
]
