/** What a move, a backup and a restore did. */
import { accountFlag, commandName, quoteForShell } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type {
  BackupReport,
  KnownErasures,
  MoveReport,
  RestoredMirror,
  StoredReader,
  TransferProgress,
} from '../../index.ts'
import type { Output } from '../terminal/terminal.ts'
import { formatBytes, formatCount, formatNumber } from '../../common/text/number.ts'
import { listTable, right } from './format/table.ts'
import { shorten } from '../../common/text/fit-text.ts'
import { paragraphs } from './format/prose.ts'
import { formatInstant } from './format/timestamp.ts'

const one = stripControlCharsInLine

/** How far it is, in one line. */
export function transferLine({ step, table, bytes }: TransferProgress, _: number, columns: number): string {
  return shorten(
    {
      reading: `checking the backup, ${formatBytes(bytes)}`,
      copying: `copying ${table ?? ''}, ${formatBytes(bytes)}`,
      comparing: 'comparing every row',
      indexing: 'making indexes',
    }[step],
    columns,
  )
}

export function formatMove({ from, to, accounts, tables, readers }: MoveReport, out: Output): string {
  return [
    tableOf(tables, out),
    paragraphs(
      out,
      `Moved ${accounts.map(one).join(', ')} to ${one(to)}; both databases have the same rows. Name it in DATABASE_URL or --database ` +
        `wherever the mirror is used: ${one(from)} is marked as moved, and nothing writes there without --force.`,
      `${one(from)} still holds all of it, also of people who are erased later: delete it once nothing uses it any more. With Postgres ` +
        'drop schema headcount, headcount_internal cascade does that (after worker --queue also headcount_queue), with PGlite delete the folder.',
    ),
    readerLines(readers, to, out),
  ].join('')
}

export function formatBackup(
  { file, created_at, accounts, tables, readers }: BackupReport,
  out: Output,
): string {
  const lists = accounts.map((name) => `${commandName()} person suppressions --json${accountFlag(name)}`)
  return [
    tableOf(tables, out),
    paragraphs(
      out,
      `Backup of ${accounts.map(one).join(', ')} in ${one(file)}, of ${formatInstant(created_at)}. It has names, addresses and ` +
        `messages: only its owner may read it.`,
      'Whoever is erased later is still in it. Print the suppression list after each erasure and keep it beside the backup:',
    ),
    ...lists.map((line) => `  ${line}\n`),
    readers.length === 0
      ? ''
      : paragraphs(out, `Not in it: the rights of ${namesOf(readers)}; restore says how to give them again.`),
  ].join('')
}

export function formatRestore(report: RestoredMirror, out: Output): string {
  const { file, to, created_at, accounts, tables, readers, erasures } = report
  return [
    tableOf(tables, out),
    paragraphs(
      out,
      `Restored ${accounts.map(one).join(', ')} from ${one(file)} to ${one(to)}, as of ${formatInstant(created_at)}.`,
      ...erasures.map((known) => erasureLine(known, created_at)),
      `What was forgotten, left out or pruned after ${formatInstant(created_at)} is in this mirror again, too: before ${commandName()} serve, ` +
        `run ${commandName()} sync with the same settings (--forget-after and those of fields), and ${commandName()} prune.`,
      accessLine(report),
    ),
    readerLines(readers, to, out),
  ].join('')
}

/** Which erasures the restored mirror knows of, and which it cannot. */
function erasureLine(
  { account, in_backup, unfinished, in_list, erased_since }: KnownErasures,
  created_at: string,
): string {
  const name = one(account)
  const before =
    in_backup === 0
      ? `Nobody had been erased from account ${name} when the backup was made.`
      : `${formatCount(in_backup, 'person', 'people')} erased from account ${name} before the backup stay${in_backup === 1 ? 's' : ''} erased.`
  if (in_list === null) {
    const rest =
      unfinished === 0
        ? ''
        : ` The erasure of ${formatNumber(unfinished)} of them was not at its end: the next ${commandName()} sync ends it before it reads anything; run it before ${commandName()} serve.`
    return (
      `${before}${rest} Whoever was erased after ${formatInstant(created_at)} is in this mirror again, and nothing in the backup tells who: ` +
      `${commandName()} person erase --suppressions FILE${accountFlag(name)} takes the list of today.`
    )
  }
  return (
    `${before} ${formatCount(in_list, 'person stands', 'people stand')} on what was given with --suppressions; ` +
    `${formatNumber(erased_since)} of them ${erased_since === 1 ? 'was' : 'were'} not known to the backup, and all are erased now. ` +
    `Whoever was erased after that was printed is in this mirror again.`
  )
}

/** What opens the mirror, for what was revoked since opens it again. */
function accessLine({ active_keys: keys, active_links: links, created_at }: RestoredMirror): string {
  if (keys + links === 0) return 'No key and no link opens this mirror.'
  return (
    `${formatCount(keys, 'key')} and ${formatCount(links, 'link')} open this mirror again, also those that were revoked after ` +
    `${formatInstant(created_at)}. ${commandName()} keys and ${commandName()} links show them; revoke what shall stay closed with ` +
    `${commandName()} keys revoke ID and ${commandName()} links revoke ID.`
  )
}

function readerLines(readers: readonly StoredReader[], to: string, out: Output): string {
  if (readers.length === 0) return ''
  return [
    paragraphs(
      out,
      `Roles belong to the server, so that nobody but the owner may read ${one(to)} yet. There, on Postgres, add those who may:`,
    ),
    ...readers.map(
      ({ role_name, with_personal }) =>
        `  ${commandName()} readers add ${quoteForShell(one(role_name))}${with_personal ? '' : ' --without-personal'} --apply\n`,
    ),
  ].join('')
}

function namesOf(readers: readonly StoredReader[]): string {
  return readers.map(({ role_name }) => one(role_name)).join(', ')
}

function tableOf(tables: readonly { readonly table: string; readonly rows: number }[], out: Output): string {
  const filled = tables.filter(({ rows }) => rows > 0)
  return listTable(out, filled, [
    ['table', ({ table }) => table],
    [right('rows'), ({ rows }) => formatNumber(rows)],
  ])
}
