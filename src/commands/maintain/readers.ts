import type { Flags } from '../../config/config.ts'
import { UsageError } from '../../common/errors.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { identifier } from '../../db/quote.ts'
import { statementsToShow } from '../../mirror/readers/hidden-tables.ts'
import {
  listReaders,
  planAndApply,
  requireRoles,
  type ListedReader,
  type ReaderChange,
  type ReaderPlan,
} from '../../mirror/readers/readers.ts'
import type { Command, JsonFlags } from '../cli/context.ts'
import { withMirror, withMirrorReadOnly } from '../open-mirror.ts'
import { writeResult } from '../output/format/json.ts'
import { listTable } from '../output/format/table.ts'
import { formatInstant } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

type AddFlags = Flags & { readonly apply?: true; readonly withoutPersonal?: true }
type RemoveFlags = Flags & { readonly apply?: true }
/** Prints the statements that make a reader, or runs them. */
export const readersAdd: Command<AddFlags> = async (context) => {
  const [role_name = ''] = context.operands
  const { apply, withoutPersonal } = context.flags
  const plan = await carryOut(context, apply, { add: { role_name, with_personal: !withoutPersonal } })
  const named = stripControlCharsInLine(role_name)
  const typed = /^[a-z_][a-z0-9_]*$/.test(role_name)
    ? role_name
    : stripControlCharsInLine(identifier(role_name))
  const kind = withoutPersonal ? 'without personal data' : 'with names and addresses'
  if (!apply)
    return printPlan(context, plan, [
      `${named} may read the mirror ${kind}, once this has run. Run it as a role that may create roles, or add --apply.`,
      ...(plan.is_new ? [`The role has no password: in psql, \\password ${typed} sets one.`] : []),
    ])
  await context.terminal.err.write(`${named} may read the mirror ${kind} now.\n`)
  if (plan.is_new)
    await context.terminal.err.write(`The role has no password yet: in psql, \\password ${typed} sets one.\n`)
  if (plan.hidden_tables.length > 0) await context.terminal.err.write(hiddenTables(plan.hidden_tables))
  return 0
}

function hiddenTables(tables: readonly string[]): string {
  const statements = statementsToShow(tables).map((statement) => `${statement};\n`)
  return `Row security shows it no row of ${tables.join(', ')}. Give it a policy, or run:\n${statements.join('')}`
}

/** Prints the statements that take all rights from a reader, or runs them. */
export const readersRemove: Command<RemoveFlags> = async (context) => {
  const [role_name = ''] = context.operands
  const { apply } = context.flags
  const plan = await carryOut(context, apply, { remove: role_name })
  const named = stripControlCharsInLine(role_name)
  if (!apply)
    return printPlan(context, plan, [
      `${named} may not read the mirror any more, once this has run.${plan.exists ? ' The role stays: drop it when nothing else needs it.' : ''}`,
    ])
  const role = plan.exists ? ' The role is still there.' : ''
  await context.terminal.err.write(`${named} may not read the mirror any more.${role}\n`)
  return 0
}

export const readersList: Command<JsonFlags> = async (context) => {
  const readers = await withMirrorReadOnly(context, async (database) => {
    requireRoles(database)
    return database.transaction(listReaders, { readOnly: true })
  })
  return writeResult(context, { readers }, (out) => formatReaders(readers, out))
}

/** With --apply the statements are planned and run in one transaction. */
function carryOut(
  context: Parameters<typeof withMirror>[0],
  apply: true | undefined,
  change: ReaderChange,
): Promise<ReaderPlan> {
  const open = apply ? withMirror : withMirrorReadOnly
  return open(context, (database) => planAndApply(database, apply === true, change))
}

async function printPlan(
  { terminal }: Parameters<typeof withMirror>[0],
  { statements }: ReaderPlan,
  remarks: readonly string[],
): Promise<number> {
  if (statements.some((statement) => /[\0-\x08\x0b-\x1f]/.test(statement)))
    throw new UsageError(
      'The name of the reader has characters that a terminal would not show. Choose another one.',
    )
  await terminal.out.write(['begin', ...statements, 'commit'].map((statement) => `${statement};\n`).join(''))
  for (const remark of remarks) await terminal.err.write(`-- ${remark}\n`)
  return 0
}

function formatReaders(readers: readonly ListedReader[], out: Output): string {
  if (readers.length === 0) return 'No readers yet.\n'
  return listTable(out, readers, [
    ['role', ({ role_name }) => role_name],
    ['reads', ({ with_personal }) => (with_personal ? 'names and addresses too' : 'no personal data')],
    ['added', ({ added_at }) => formatInstant(added_at)],
    [
      '',
      ({ exists, may_read }) =>
        may_read ? '' : exists ? 'the role was made anew: add it again' : 'the role is gone',
    ],
  ])
}
