/** The flags of a call that its hints repeat: those that say where its settings and its mirror are. */
import { quoteForShell, withCommandFlags } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'
import type { Flags } from '../../config/config.ts'
import { parsePostgresUrl } from '../../db/postgres/connection-url.ts'

/** Does the work of a call with these flags. A command in one of its messages asks the same mirror, pasted as it stands. */
export function withFlagsInHints<T>(flags: Flags, work: () => T): T {
  return withCommandFlags([...envFileFlags(flags), ...databaseFlag(flags)], work)
}

function envFileFlags({ envFile = [] }: Flags): readonly string[] {
  return [envFile].flat().map((file) => `--env-file ${inOneWord(String(file))}`)
}

function databaseFlag({ database }: Flags): readonly string[] {
  if (database === undefined) return []
  // With … the command is refused. Without the flag it would ask another database in silence.
  return [`--database ${isShowable(String(database)) ? inOneWord(String(database)) : '…'}`]
}

const inOneWord = (text: string) => quoteForShell(stripControlCharsInLine(text))

/** Whether a database URL surely holds no secret. What is no such URL may be one itself. */
function isShowable(text: string): boolean {
  if (text.startsWith('pglite:')) return true
  const url = parsePostgresUrl(text)
  // guard: passwords in hints
  return url !== null && !/:\/\/.*:.*@/s.test(text) && !hasSecretParameter(url)
}

/** `password`, `sslpassword`, `oauth_client_secret`. */
function hasSecretParameter({ searchParams }: URL): boolean {
  return [...searchParams.keys()].some((name) => /passw|secret/i.test(name))
}
