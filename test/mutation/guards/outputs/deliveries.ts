import type { Guard } from '../guard.ts'

const digests = 'test/integration/outputs/notify/send-digest.test.ts'
const inDoubt = 'test/integration/outputs/notify/digest-in-doubt.test.ts'
const command = 'test/integration/outputs/notify/digest-command.test.ts'
const mail = 'test/integration/outputs/notify/mail.test.ts'
const worker = 'test/integration/outputs/notify/worker.test.ts'
const recipients = 'test/unit/outputs/notify/recipient.test.ts'

/** What keeps digests and notices whole, single and discreet. */
export const deliveryGuards: readonly Guard[] = [
  {
    name: 'two senders of a digest',
    promise: 'two processes never send the same digest at once',
    mutation: 'never',
    tests: [digests],
    only: 'postgres.*one process at a time',
  },
  {
    name: 'claims that end before their turn',
    promise: 'a message whose turn comes late is not sent by two processes',
    mutation: 'never',
    tests: [digests],
    only: 'postgres.*whose claim ended while others were sent',
  },
  {
    name: 'gateways of recipients',
    promise:
      'a digest for which a gateway answers that it heard nothing of the receiver may have been accepted: the same one is sent again',
    mutation: 'never',
    tests: ['test/integration/outputs/notify/digest-in-doubt.test.ts'],
    only: 'postgres.*a gateway before the receiver',
  },
  {
    name: 'the same digest again',
    promise: 'a digest that may have been accepted tells the same runs again, with the same Message-ID',
    mutation: { cut: 'pending_run_id ?? ', put: '' },
    tests: [digests],
    only: 'postgres.*one process at a time',
  },
  {
    name: 'a digest that may have been accepted',
    promise: 'a refused digest is told again together with what came later',
    mutation: { cut: 'case when ${outcome.mayBeAccepted} then pending_run_id end', put: 'pending_run_id' },
    tests: [digests],
    only: 'postgres.*told again whole',
  },
  {
    name: 'doubt of an earlier attempt',
    promise: 'a digest that may have been accepted stays the same one after a refusal or a signal',
    mutation: { cut: ' || (was_pending && !isRefused)', put: '' },
    tests: [digests],
    only: 'may have been accepted is',
  },
  {
    name: 'the same state of the mirror again',
    promise:
      'a digest that may have been accepted has the same bytes again while nothing that it tells has changed',
    mutation: { cut: 'stored.pending_mirror ?? ', put: '' },
    tests: [inDoubt],
    only: 'postgres.*same bytes',
  },
  {
    name: 'one key for one content',
    promise: 'no receiver gets two contents with one Idempotency-Key, which it would refuse for ever',
    mutation: { replace: '[id]' },
    tests: [inDoubt],
    only: 'postgres.*another key',
  },
  {
    name: 'end of a doubt',
    promise: 'a digest in doubt that is refused for good does not keep what came later',
    mutation: 'never',
    tests: [inDoubt],
    only: 'postgres.*refused for good',
  },
  {
    name: 'cursor after acceptance',
    promise: 'the next digest goes on from what the recipient accepted',
    mutation: 'remove',
    tests: [digests],
    only: 'postgres.*what changed since',
  },
  {
    name: 'names to the web',
    promise: 'a web address learns no names unless that is asked for',
    mutation: { cut: "recipient.kind === 'mail' || withPersonal", put: 'true' },
    tests: [digests],
    only: 'without names',
  },
  {
    name: 'names in a digest without personal data',
    promise: 'a digest without personal data names nobody',
    mutation: { cut: ', name: null', put: '' },
    tests: [digests],
    only: 'without names',
  },
  {
    name: 'personal values in a digest',
    promise: 'a digest without personal data has no personal value, known or unknown',
    mutation: 'never',
    tests: [digests],
    only: 'without names',
  },
  {
    name: 'reasons to the web',
    promise: 'a web address does not learn what an error quotes',
    mutation: { cut: "recipient.kind === 'mail' ? reason : null", put: 'reason' },
    tests: [command],
    only: 'a notice tells',
  },
  {
    name: 'secret addresses',
    promise: 'no table holds the address of a chat',
    mutation: { cut: '${new URL(recipient.url).origin}/…', put: '${recipient.url}' },
    tests: [recipients],
  },
  {
    name: 'secrets in errors of deliveries',
    promise: 'no error quotes the password of a mail server or the address of a chat',
    mutation: { replace: 'text' },
    tests: [digests],
    only: 'answered with 404',
  },
  {
    name: 'quoted parts of secret addresses',
    promise: 'no error has a part of the address of a chat, whatever the server there quotes',
    mutation: 'remove',
    tests: [recipients],
  },
  {
    name: 'plain http to a recipient',
    promise: 'no message leaves the machine without TLS',
    mutation: 'never',
    tests: [recipients],
  },
  {
    name: 'STARTTLS',
    promise: 'no mail leaves the machine without TLS',
    mutation: { replace: 'false' },
    tests: [mail],
  },
  {
    name: 'certificates of mail servers',
    promise: 'no mail and no password goes to a server whose certificate cannot be trusted',
    mutation: { replace: 'false' },
    tests: [mail],
  },
  {
    name: 'certificates of recipients',
    promise: 'no message goes to a web address whose certificate cannot be trusted',
    mutation: { replace: 'false' },
    tests: [mail],
  },
  {
    name: 'unknown ends of a mail',
    promise: 'a mail of which nobody heard whether it was accepted is sent again as it was',
    mutation: { replace: 'false' },
    tests: [mail],
  },
  {
    name: 'deadline of a delivery',
    promise: 'a server that says nothing keeps nobody for longer than 45 s',
    mutation: { replace: 'signal' },
    tests: [mail],
  },
  {
    name: 'mail servers that take long',
    promise: 'a mail server that scans a message for minutes gets it once',
    mutation: { cut: ', () => deadline.restart(answerMs)' },
    tests: [mail],
    only: 'that the server scans',
  },
  {
    name: 'markup in Slack',
    promise: 'nothing that a guest wrote mentions anybody or is a link in Slack',
    mutation: { cut: ".replaceAll('<', '&lt;')", put: '' },
    tests: [recipients],
  },
  {
    name: 'another error is another reason',
    promise: 'a run that fails for another reason is told, however soon',
    mutation: 'always',
    tests: [command],
    only: 'when the state changes',
  },
  {
    name: 'claims of the future',
    promise: 'a claim by a clock that was ahead ends after fifteen minutes by the right one',
    mutation: { replace: 'sql`true`' },
    tests: [command],
    only: 'begun in the future',
  },
  {
    name: 'failures of the future',
    promise: 'an attempt that failed by a clock that was ahead puts the next one off no longer',
    mutation: { replace: 'sql`true`' },
    tests: [command],
    only: 'tried in the future',
  },
  {
    name: 'notices of the future',
    promise: 'a notice by a clock that was ahead keeps none back that comes by the right one',
    mutation: { replace: 'sql`true`' },
    tests: [command],
    only: 'told in the future',
  },
  {
    name: 'a notice that may have been accepted',
    promise: 'who may have been told that the mirror is wrong is told that it is right again',
    mutation: { replace: 'true' },
    tests: [command],
    only: 'of sync a notice that may have been accepted',
  },
  {
    name: 'one notice an hour',
    promise: 'the same reason is told at most once an hour',
    mutation: 'never',
    tests: [worker],
    only: 'notices of a worker',
  },
  {
    name: 'stale while a run hangs',
    promise: 'the operator hears that the mirror is too old also while a run hangs',
    mutation: 'always',
    tests: ['test/unit/orchestration/schedule/mirror-condition.test.ts'],
  },
  {
    name: 'calls one at a time',
    promise: 'a digest to several recipients does not wait for a folder that its own process has open',
    mutation: { replace: 'pLimit(4)' },
    tests: [command],
    only: 'pglite.*never waits for itself',
  },
  {
    name: 'claims of an ended delivery',
    promise: 'a digest that a signal ends keeps nobody else from sending it',
    mutation: 'remove',
    tests: [digests],
    only: 'a signal ends gives back all at once',
  },
  {
    name: 'one opening of a folder',
    promise: 'a digest uses the opening of a run, and never opens the folder beside it',
    mutation: 'remove',
    tests: [worker],
    only: 'pglite.*on their schedule',
  },
]
