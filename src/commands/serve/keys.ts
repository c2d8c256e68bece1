import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'
import {
  createKeyCall,
  keysCall,
  revokeKeyCall,
  type CreatedKey,
  type ListedKey,
  type RevokedKey,
} from '../../mirror/keys/keys.ts'
import type { InstantInput } from '../../mirror/instants/parse-instant.ts'
import type { Command, Context, JsonFlags } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import { writeChange, writeJson, writeResult } from '../output/format/json.ts'
import { listTable, right, text } from '../output/format/table.ts'
import { formatInstant, formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

export const keys: Command<JsonFlags> = async (context) => {
  const found = await callMirror(context, keysCall, ({ account }) => ({ account }))
  return writeResult(context, { keys: found }, (out) =>
    found.length === 0 ? `No keys yet. ${commandName()} keys create makes one.\n` : formatKeys(found, out),
  )
}

function formatKeys(found: readonly ListedKey[], out: Output): string {
  return listTable(out, found, [
    [right('id'), ({ id }) => String(id)],
    ['account', ({ account }) => account],
    [text('label'), ({ label }) => label ?? ''],
    ['state', describeState],
    ['created', ({ created_at }) => formatTimestamp(created_at, 'day')],
    ['expires', describeExpiry],
    ['last used', ({ last_used_on }) => last_used_on ?? 'never'],
  ])
}

export function describeState({ revoked_at, state }: Pick<ListedKey, 'revoked_at' | 'state'>): string {
  return revoked_at === null ? state : `revoked ${formatTimestamp(revoked_at, 'day')}`
}

/** A day alone is its beginning, as `--expires` takes it. */
export function describeExpiry({ expires_at: end }: Pick<ListedKey, 'expires_at'>): string {
  if (end === null) return 'never'
  return /T00:00:00(?:\.0+)?Z$/.test(end) ? formatTimestamp(end, 'day') : formatInstant(end)
}

type CreateFlags = JsonFlags & { readonly label?: string; readonly expires?: InstantInput }

/** Creates a key and prints it, alone on stdout. It cannot be shown again. */
export const keysCreate: Command<CreateFlags> = async (context) => {
  const { flags } = context
  const made = await callMirror(context, createKeyCall, ({ account }) => ({
    account,
    label: flags.label ?? null,
    expires: flags.expires ?? null,
  }))
  context.terminal.redact(made.key)
  return writeOnce(context, { id: made.id, key: made.key }, made.key, describeCreated(made))
}

/** Writes what cannot be shown again, alone on stdout. */
export async function writeOnce(
  { flags, terminal: { out, err } }: Context<JsonFlags>,
  document: object,
  secret: string,
  described: string,
): Promise<number> {
  if (flags.json) await writeJson(out, document)
  else {
    // The number first: should writing the secret fail, it is known what to revoke.
    await err.write(described)
    await out.write(`${secret}\n`)
  }
  return 0
}

function describeCreated({ id, account, expiresAt }: CreatedKey): string {
  const end = expiresAt === null ? '' : ` until ${formatInstant(expiresAt)}`
  return (
    `Key ${id} gives access to account ${stripControlCharsInLine(account)}${end} to whoever sends it as X-API-Key. ` +
    `It is shown only this once; ${commandName()} keys revoke ${id} revokes it.\n`
  )
}

/** Revokes a key. A key that is revoked already is no failure. */
export const keysRevoke: Command<JsonFlags> = (context) =>
  revokeByNumber(context, revokeKeyCall, 'key', 'it opens nothing')

/** @param effect what holds from now on */
export async function revokeByNumber(
  context: Context<JsonFlags>,
  call: typeof revokeKeyCall,
  noun: 'key' | 'link',
  effect: string,
): Promise<number> {
  const id = readId(context.operands[0] ?? '', noun)
  const revoked = await callMirror(context, call, ({ account }) => ({ id, account }))
  const { account, revoked_at } = revoked
  return writeChange(context, { id, account, revoked_at }, describeRevoked(revoked, noun, effect))
}

/** @throws UsageError that does not repeat the text: it may be the key or the address itself. */
function readId(operand: string, noun: string): number {
  if (/^\d{1,15}$/.test(operand)) return Number(operand)
  throw new UsageError(
    `${noun}s revoke takes the number of a ${noun}: ${commandName()} ${noun}s list shows it`,
  )
}

function describeRevoked(
  { id, account, label, revoked_at, wasRevoked }: RevokedKey,
  noun: string,
  effect: string,
): string {
  const named = label === null ? '' : ` (${stripControlCharsInLine(label)})`
  const which = `${noun === 'key' ? 'Key' : 'Link'} ${id}${named} of account ${stripControlCharsInLine(account)}`
  return wasRevoked
    ? `${which} was revoked before, at ${formatInstant(revoked_at)}.\n`
    : `${which} is revoked: from now on ${effect}.\n`
}
