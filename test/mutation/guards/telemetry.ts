import type { Guard } from './guard.ts'

const scraped = 'test/integration/telemetry/metrics.test.ts'
const commands = 'test/integration/commands/sync/telemetry.test.ts'

/** What keeps spans and metrics from telling too much, and from costing what they are not worth. */
export const telemetryGuards: readonly Guard[] = [
  {
    name: 'ids in spans',
    promise: 'no span and no metric has the id of an event, which may be a name',
    mutation: { replace: 'this.#url.pathname' },
    tests: [commands],
    only: 'names no person',
  },
  {
    name: 'spans of a large run',
    promise: 'a run over many lists has spans for some of its requests, and its processor time stays',
    mutation: 'always',
    tests: ['test/integration/telemetry/library.test.ts'],
    only: 'many requests',
  },
  {
    name: 'last success',
    promise: 'the metric that alerts go by tells of good runs of the whole account alone',
    mutation: 'never',
    tests: [commands],
    only: 'run of some events',
  },
  {
    name: 'metrics of good runs elsewhere',
    promise:
      'an account that was taken out of the file does not come back into the metrics by a look into the mirror',
    mutation: 'never',
    tests: ['test/unit/telemetry/account-figures.test.ts'],
  },
  {
    name: 'metrics of a removed account',
    promise: 'an account that was taken out of the file raises no alert that it is old',
    mutation: 'remove',
    tests: [scraped],
    only: 'accounts file \\(alone\\)',
  },
  {
    name: 'metrics beside a faulty entry',
    promise: 'one faulty entry does not freeze the metrics of the other accounts',
    mutation: 'always',
    tests: ['test/integration/commands/sync/accounts/status-accounts.test.ts'],
    only: 'postgres.*hides neither',
  },
  {
    name: 'metrics beside a file that cannot be read',
    promise: 'an accounts file that cannot be read does not freeze the metrics of the mirrors',
    mutation: { cut: `flags.format !== 'prometheus'`, put: 'flags.format !== undefined' },
    tests: ['test/integration/commands/sync/accounts/status-accounts.test.ts'],
    only: 'postgres.*hides neither',
  },
  {
    name: 'a file that cannot be read',
    promise: 'of an accounts file that cannot be read, a worker tells that, and not what was wrong before',
    mutation: { replace: '[...ofEntries, ...(fault === null ? [] : [ofFile(fault)])]' },
    tests: [scraped],
    only: 'accounts file \\(alone\\)',
  },
  {
    name: 'a collector that hangs',
    promise: 'a collector that does not answer keeps no run for longer than 2 s',
    mutation: { replace: 'ended.then(() => true)' },
    tests: [commands],
    only: 'hang: the run ends',
  },
  {
    name: 'one port for both',
    promise: 'a check of a container that asks serve itself for its health goes on to work',
    mutation: 'always',
    tests: [scraped],
    only: 'port of serve itself',
  },
  {
    name: 'metrics for everybody',
    promise: 'who opens the port for monitors to other machines is told that it has no key',
    mutation: 'always',
    tests: [scraped],
    only: 'on another host',
  },
]
