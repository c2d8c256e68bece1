/** Erases people from an account, restores them, and lists who was erased. */
import { confirmOrRefuse } from '../../terminal/confirm.ts'
import { commandName } from '../../../common/command-name.ts'
import { UsageError } from '../../../common/errors.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import type { ErasureReport } from '../../../index.ts'
import { erasePerson, eraseImported, requirePersonKey } from '../../../mirror/persons/erase.ts'
import {
  countByPlace,
  planErasure,
  type ErasurePlan,
  type PlaceCount,
} from '../../../mirror/persons/plan-erasure.ts'
import { notReached, NOT_VACUUMED, vacuumErased, type Vacuumed } from '../../../mirror/persons/vacuum.ts'
import { restorePerson, type RestoreReport } from '../../../mirror/persons/restore.ts'
import { emailKeyOf } from '../../../mirror/persons/show.ts'
import { exportSuppressions, parseListOf } from '../../../mirror/persons/suppression-file.ts'
import { personKeyOfAccount } from '../../../config/accounts/person-key-of-account.ts'
import type { Config, Flags } from '../../../config/config.ts'
import type { PersonKey } from '../../../normalise/suppression/person-key.ts'
import { readSuppressions } from '../../../load/state/suppressions.ts'
import { accountId, resolveAccount } from '../../../mirror/accounts/resolve-account.ts'
import { logTo, personKeyOf } from '../../../sync/options.ts'
import type { Command, JsonFlags } from '../../cli/context.ts'
import { withMirror, withMirrorReadOnly } from '../../open-mirror.ts'
import { openLog } from '../../open-log.ts'
import { readSuppressionList } from './read-suppression-list.ts'
import { formatErased } from '../../output/erased.ts'
import { writeResult } from '../../output/format/json.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'
import { paragraphs } from '../../output/format/prose.ts'
import { listTable, right, text } from '../../output/format/table.ts'
import { wrapWords } from '../../../common/text/fit-text.ts'
import { requireKeyOfAddresses } from '../../../mirror/persons/search.ts'
import { formatInstant } from '../../output/format/timestamp.ts'
import type { Output } from '../../terminal/terminal.ts'

type EraseFlags = JsonFlags & {
  readonly yes?: true
  readonly suppressions?: string
  /** False with --no-vacuum. */
  readonly vacuum: boolean
  readonly replaceKey?: true
}

const ERASURE = {
  question: 'Erase this for ever?',
  notDone: 'person erase: nothing was erased',
  verb: 'erase',
}

export const personErase: Command<EraseFlags> = async (context) => {
  const { flags, operands, terminal, signal } = context
  const [email] = operands
  if ((email === undefined) === (flags.suppressions === undefined)) {
    throw new UsageError(
      'person erase takes either an e-mail address or --suppressions FILE. Nothing was erased.',
    )
  }
  return withMirror(context, async (database, config) => {
    const account = await resolveAccount(database, config.account)
    const key = await keyFor(account, flags, config)
    if (email !== undefined && !flags.replaceKey) await requireKeyOfAddresses(database, account, key)
    const { logger } = await openLog(config, terminal)
    const options = { account, key, replaceKey: flags.replaceKey ?? false, signal, log: logTo(logger) }
    const todo =
      email === undefined
        ? parseListOf(account, await readSuppressionList(flags.suppressions ?? ''), key).entries
        : await planErasure(database, account, email, key)
    const isPlan = 'email_key' in todo
    await terminal.err.write(isPlan ? describePlan(todo, terminal.err) : describeFile(todo.length, account))
    // guard: asks before erasing
    if (!(await confirmOrRefuse(context, ERASURE))) {
      await terminal.err.write('Nothing was erased.\n')
      return 0
    }
    const report = isPlan
      ? await erasePerson(database, todo.email_key, options)
      : await eraseImported(database, todo, options)
    const vacuum = flags.vacuum ? await vacuumErased(database, report, signal) : NOT_VACUUMED
    const stays = isPlan ? countByPlace(todo.stays) : null
    const receipt = { ...report, ...vacuum, stays, not_reached: notReached(account) }
    return writeResult(context, receipt, (out) => formatReceipt(receipt, out))
  })
}

async function keyFor(account: string, flags: Flags, config: Config): Promise<PersonKey> {
  const key = await personKeyOfAccount(account, flags, config)
  return requirePersonKey(personKeyOf(key ?? undefined))
}

const one = stripControlCharsInLine

function describeFile(count: number, account: string): string {
  return `${formatCount(count, 'person')} of the list will be erased from account ${one(account)}, and stay erased.\n`
}

function describePlan(plan: ErasurePlan, err: Output): string {
  const { account, email_key, responses, versions, events, other_addresses, stays, other_accounts } = plan
  const address = one(email_key)
  const isHeld = responses + versions > 0
  const table = listTable(err, events, [
    ['event', ({ event_id }) => event_id],
    [text('title'), ({ event_title }) => event_title ?? ''],
    [right('responses'), (event) => formatNumber(event.responses)],
    [right('former versions'), (event) => formatNumber(event.versions)],
  ])
  const held = `Account ${one(account)} holds ${formatCount(responses, 'response')} and ${formatCount(versions, 'former version')} of ${address}:\n${table}`
  const notHeld =
    `No response in account ${one(account)} has the address ${address}. It is put on the suppression list all the same: later ` +
    `responses with it are stored without personal data.`
  const nextSync =
    `Addresses are left out of this account, so that nobody can tell whose its rows are: the next ${commandName()} sync reads every list, ` +
    'and erases the responses that have this address there.'
  const remarks = [
    [plan.is_by_next_sync, nextSync],
    [isHeld, 'Name, address, message and unknown fields go; replies, quantities, payments and slots stay.'],
    [
      other_addresses.length > 0,
      `These responses have or had other addresses, too: ${other_addresses.map(one).join(', ')}. Erase each of them that is the same person's.`,
    ],
    [
      stays.length > 0,
      `${formatCount(stays.length, 'other place names', 'other places name')} the address and ${stays.length === 1 ? 'stays' : 'stay'} ` +
        `as written: ${commandName()} person show ${address} lists ${stays.length === 1 ? 'it' : 'them'}.`,
    ],
    [
      other_accounts.length > 0,
      `Other accounts of this mirror name the address, too: ${other_accounts.map(one).join(', ')}. Run the command again with --account for each.`,
    ],
  ] as const
  const told = remarks.flatMap(([isTold, words]) => (isTold ? [words] : []))
  return (isHeld ? held : paragraphs(err, notHeld)) + paragraphs(err, ...told)
}

type Receipt = ErasureReport &
  Vacuumed & {
    /** Null of a list: its addresses are known to nobody. */
    readonly stays: readonly PlaceCount[] | null
    readonly not_reached: readonly string[]
  }

function formatReceipt(receipt: Receipt, out: Output): string {
  const { run_id, account, finished_at, is_repeated, suppressions, stays, not_reached } = receipt
  const people =
    suppressions.length === 1 ? `Person ${suppressions[0]}` : formatCount(suppressions.length, 'person')
  return [
    out.style('bold', `Receipt: run ${run_id} of account ${one(account)}, ${formatInstant(finished_at)}\n`),
    formatErased(receipt),
    paragraphs(
      out,
      `${people} of the suppression list stay${suppressions.length === 1 ? 's' : ''} erased in later runs` +
        (is_repeated ? ', as before' : '') +
        '. The list holds a keyed hash and numbers of responses, no address.',
      ...(stays === null || stays.length === 0 ? [] : [staysLine(stays)]),
      vacuumLine(receipt),
    ),
    'Not reached by this command:\n',
    ...not_reached.map((line) => `  ${wrapWords(line, { width: out.width, hang: 2 })}\n`),
  ].join('')
}

function staysLine(stays: readonly PlaceCount[]): string {
  const places = stays.map(({ place, rows }) => `${place} (${formatCount(rows, 'row')})`)
  return `Not changed, though the address stands there: ${places.join(', ')}. Show them with: ${commandName()} person show.`
}

function vacuumLine({ vacuumed, old_rows_remain }: Vacuumed): string {
  if (vacuumed.length === 0)
    return old_rows_remain
      ? 'Old rows may stay in the files of the tables. Where another session held these, run the same command again later; else their owner removes the rows: vacuum (full, analyze).'
      : 'Nothing was written, so no table had to be written anew.'
  const tables = `Tables written anew: ${vacuumed.join(', ')}.`
  return old_rows_remain
    ? `${tables} Another transaction was open, or a session that this role may not look at, so that their files may still hold old rows: run the same command again later, or as a role with pg_read_all_stats.`
    : `${tables} Their files hold the old rows no longer.`
}

export const personRestore: Command<JsonFlags> = async (context) => {
  const [email = ''] = context.operands
  return withMirror(context, async (database, config) => {
    const account = await resolveAccount(database, config.account)
    const key = await keyFor(account, context.flags, config)
    const { logger } = await openLog(config, context.terminal)
    const emailKey = await emailKeyOf(database, email)
    const options = { account, key, signal: context.signal, log: logTo(logger) }
    const report = await restorePerson(database, emailKey, options)
    return writeResult(
      context,
      report,
      () =>
        (report.was_erased
          ? `${one(emailKey)} is off the suppression list of account ${one(account)}. The next sync reads ${formatCount(report.lists, 'list')} ` +
            `whole and brings back what the service still sends; former versions stay erased.\n`
          : `${one(emailKey)} was not on the suppression list of account ${one(account)}: nothing was changed.\n`) +
        formerKeyLine(report),
    )
  })
}

function formerKeyLine({ known_by_ids: count }: RestoreReport): string {
  if (count === 0) return ''
  return (
    `${formatCount(count, 'person was', 'people were')} erased with a key that was replaced, and known by the ids of responses alone since: ` +
    `who of them it is, nobody can tell, and they stay erased.\n`
  )
}

export const personSuppressions: Command<JsonFlags> = async (context) =>
  withMirrorReadOnly(context, async (database, config) => {
    const account = await resolveAccount(database, config.account)
    const file = await exportSuppressions(database, account)
    const stored = await readSuppressions(database.kysely, await accountId(database, account))
    const unfinished = stored.filter(({ erased_at }) => erased_at === null).length
    return writeResult(context, file, (out) =>
      file.suppressions.length === 0
        ? `Nobody was erased from account ${one(account)}.\n`
        : listTable(out, file.suppressions, [
            [
              'keyed hash',
              ({ email_hash: hash }) => (hash === null ? 'known by ids alone' : `${hash.slice(0, 16)}…`),
            ],
            ['since', ({ added_at }) => (added_at === null ? '' : formatInstant(added_at))],
            [
              right('responses'),
              ({ responses }) => formatNumber(responses.reduce((sum, { ids }) => sum + ids.length, 0)),
            ],
          ]) + unfinishedLine(unfinished, out),
    )
  })

function unfinishedLine(count: number, out: Output): string {
  if (count === 0) return ''
  const people = formatCount(count, 'person on the list is', 'people on the list are')
  return paragraphs(
    out,
    `${people} not erased as a whole yet: the erasure goes on, or was broken off. The next ${commandName()} sync ends it, or the same person erase again.`,
  )
}
