import { settingsOf } from '../inspect/status.ts'
import { AccountLockedError, DeliveryError, UsageError } from '../../common/errors.ts'
import { InvalidValueError } from '../../common/parse-values.ts'
import type { Config } from '../../config/config.ts'
import { mailFault } from '../../config/read-notify.ts'
import { digestCall } from '../../mirror/answers/digest/digest-call.ts'
import type { Since } from '../../mirror/instants/parse-since.ts'
import { DEFAULT_DIGEST_NAME } from '../../outputs/notify/digest/digest-subject.ts'
import { digestText } from '../../outputs/notify/digest/digest-text.ts'
import type { Delivery } from '../../outputs/notify/deliver.ts'
import { parseRecipients, type Recipient } from '../../outputs/notify/recipient.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { callMirror, mirrorCaller } from '../open-mirror.ts'
import { redactRecipient } from '../open-log.ts'
import { describeDelivery } from '../output/deliveries.ts'
import { showsProgress } from '../terminal/logger.ts'
import { writeJson } from '../output/format/json.ts'

type DigestFlags = JsonFlags & {
  readonly quiet?: true
  readonly since: Since | 'last'
  readonly event?: string
  readonly to?: string
  readonly send?: true
  readonly name?: string
  readonly always?: true
}

/** What happened, in short: printed, or sent to its recipients. */
export const digest: Command<DigestFlags> = async (context) => {
  const { flags } = context
  const isPrinted = flags.send === undefined && (flags.to ?? 'stdout') === 'stdout'
  if (!isPrinted) return sendDigests(context)
  if (flags.since === 'last') return printSinceLast(context)
  if (flags.name !== undefined)
    throw new UsageError('digest: --name goes with --since last only: it says which digest goes on')
  return printSince(context, flags.since)
}

/** A program gets the document in any case; `is_news` in it says whether there is anything to tell. */
async function printSince(context: Context<DigestFlags>, since: Since): Promise<number> {
  const { flags, terminal } = context
  const found = await callMirror(context, digestCall, (config) => ({
    since,
    event: flags.event ?? null,
    ...settingsOf(config),
  }))
  if (flags.json) await writeJson(terminal.out, found)
  else if (found.is_news || flags.always) await terminal.out.write(digestText(found))
  return 0
}

/** stdout is a recipient like others: what could not be written is told again. */
async function printSinceLast(context: Context<DigestFlags>): Promise<number> {
  const { flags, terminal } = context
  const { call, config } = await mirrorCaller(context)
  const { printDigests } = await import('../../outputs/notify/digest/print-digests.ts')
  const options = {
    ...optionsOf(flags, config),
    always: (flags.always ?? false) || (flags.json ?? false),
  }
  const isBusy = await printDigests(call, options, async (found) => {
    if (flags.json) await writeJson(terminal.out, found)
    else if (found.accounts.length > 0) await terminal.out.write(digestText(found))
  })
  if (isBusy) throw busy()
  return 0
}

function optionsOf({ name = DEFAULT_DIGEST_NAME, event }: DigestFlags, config: Config) {
  return { ...settingsOf(config), name, event: event ?? null }
}

function busy(): AccountLockedError {
  return new AccountLockedError(
    'Another process is sending this digest. Wait until it has ended, then run again.',
  )
}

async function sendDigests(context: Context<DigestFlags>): Promise<number> {
  const { flags, terminal, signal } = context
  const { call, config } = await mirrorCaller(context, (config) =>
    requireMail(recipientsOf(flags, config), config),
  )
  const recipients = recipientsOf(flags, config)
  for (const recipient of recipients) redactRecipient(recipient, terminal)
  const options = {
    ...optionsOf(flags, config),
    recipients,
    withPersonal: config.notify.digestWithPersonal,
    always: flags.always ?? false,
    mail: config.notify.mail,
  }
  const { deliverDigests, sendDigestsOnce } = await import('../../outputs/notify/digest/deliver-digests.ts')
  const deliveries =
    flags.since === 'last'
      ? await deliverDigests(call, options, 'all', signal)
      : await sendDigestsOnce(call, flags.since, options, signal)
  if (flags.json) await writeJson(terminal.out, { deliveries })
  await tellDeliveries(context, config, deliveries)
  if (deliveries.some(({ state }) => state === 'busy')) throw busy()
  return 0
}

/** @throws UsageError that quotes no web address */
function recipientsOf(flags: DigestFlags, { notify }: Config): readonly Recipient[] {
  if (flags.to === undefined) {
    if (notify.digestTo.length > 0) return notify.digestTo
    throw new UsageError(
      'digest: --send needs HEADCOUNT_DIGEST_TO (or HEADCOUNT_DIGEST_TO_FILE), like mailto:ada@example.org',
    )
  }
  try {
    return parseRecipients(flags.to, notify.proxyFor)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    throw new UsageError(
      `--to ${error.message.replace('must be mailto:ada@example.org or', 'must be stdout, mailto:ada@example.org or')}`,
    )
  }
}

function requireMail(recipients: readonly Recipient[], { notify }: Config): void {
  if (notify.mail !== null || !recipients.some(({ kind }) => kind === 'mail')) return
  throw new UsageError(mailFault(notify.mailServerIsSet ? 'HEADCOUNT_MAIL_FROM' : 'HEADCOUNT_SMTP_URL'))
}

/** What was accepted, on stderr. @throws DeliveryError that names what was not */
async function tellDeliveries(
  { terminal }: Context<DigestFlags>,
  config: Config,
  deliveries: readonly Delivery[],
): Promise<void> {
  for (const delivery of deliveries) {
    if (showsProgress(config) && delivery.state !== 'failed')
      await terminal.err.write(`${describeDelivery(delivery)}\n`)
  }
  const failed = deliveries.filter(({ state }) => state === 'failed')
  if (failed.length > 0) throw new DeliveryError(failed.map(describeDelivery).join('\n'))
}
