import { commandName } from '../../common/command-name.ts'
import type { Flags } from '../../config/config.ts'
import type { ListedKey } from '../../mirror/keys/list.ts'
import { keysCall } from '../../mirror/calls/keys.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { stripControlCharsInLine } from '../../common/strip-control-chars.ts'
import { writeJson } from '../output/format/json.ts'
import { drawTable } from '../output/format/table.ts'
import { formatTimestamp } from '../output/format/timestamp.ts'
import type { Output } from '../terminal/terminal.ts'

type KeysFlags = Flags & { readonly json?: true }

export const keys: Command<KeysFlags> = async (context) => {
  const { flags, terminal } = context
  const found = await callMirror(context, keysCall, ({ account }) => ({ account }))
  if (flags.json) await writeJson(terminal.out, { keys: found })
  else await terminal.out.write(found.length === 0 ? nothing() : formatKeys(found, terminal.out))
  return 0
}

const nothing = () => `No keys yet. ${commandName()} keys create makes one.\n`

function formatKeys(found: readonly ListedKey[], out: Output): string {
  return drawTable(
    [
      { heading: 'id', align: 'right' },
      { heading: 'account' },
      { heading: 'label' },
      { heading: 'state' },
      { heading: 'created' },
      { heading: 'expires' },
      { heading: 'last used' },
      { heading: 'revoked' },
    ],
    found.map((key) => [
      String(key.id),
      stripControlCharsInLine(key.account),
      stripControlCharsInLine(key.label ?? ''),
      key.state,
      formatTimestamp(key.created_at, 'day'),
      key.expires_at === null ? 'never' : formatTimestamp(key.expires_at, 'minute'),
      key.last_used_on ?? 'never',
      key.revoked_at === null ? '' : formatTimestamp(key.revoked_at, 'day'),
    ]),
    { width: out.width, styleHeading: (text) => out.style('bold', text) },
  )
}
