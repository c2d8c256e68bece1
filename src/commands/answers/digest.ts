import type { Flags } from '../../config/config.ts'
import { digestCall } from '../../mirror/answers/digest/digest-call.ts'
import type { Since } from '../../mirror/instants/parse-since.ts'
import type { Command } from '../cli/context.ts'
import { callMirror } from '../open-mirror.ts'
import { writeJson } from '../output/format/json.ts'
import { digestText } from './digest-text.ts'

type DigestFlags = Flags & {
  readonly json?: true
  readonly since: Since
  readonly event?: string
  readonly to?: 'stdout'
  readonly always?: true
}

/** What happened, in short. A program gets the document in any case; `is_news` in it says whether there is anything to tell. */
export const digest: Command<DigestFlags> = async (context) => {
  const { flags, terminal } = context
  const { since, event = null } = flags
  const found = await callMirror(context, digestCall, ({ account, run: { maxStalenessMs, holdForMs } }) => ({
    account,
    since,
    event,
    maxStalenessMs,
    holdForMs,
  }))
  if (flags.json) await writeJson(terminal.out, found)
  else if (found.is_news || flags.always) await terminal.out.write(digestText(found))
  return 0
}
