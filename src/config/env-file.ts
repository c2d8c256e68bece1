/** Settings from a file, when the call names one. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { cannotRead } from '../common/text/cannot-read.ts'
import { ConfigurationError, UsageError } from '../common/errors.ts'

const assignment = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/

/**
 * Puts the variables of a file into the environment. A variable that is set already stays as it is, as with Node's own
 * `--env-file` and with Docker Compose.
 *
 * @throws UsageError when the file cannot be read; ConfigurationError naming each line that is no assignment
 */
export function loadEnvFile(path: string): void {
  const text = readText(path)
  const faults = unreadableLines(text).map(({ line, fault }) => `${path}, line ${line}: ${fault}`)
  if (faults.length > 0) throw new ConfigurationError(faults)
  // oxlint-disable-next-line node/no-process-env -- what the caller asked for is a part of the environment
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value
}

/** Without a byte order mark, which parseEnv would take for a part of the first name. */
function readText(path: string): string {
  try {
    return new TextDecoder().decode(readFileSync(path))
  } catch (error) {
    throw new UsageError(`--env-file: ${cannotRead(path, error)}: check the path and the rights`)
  }
}

interface UnreadableLine {
  readonly line: number
  readonly fault: string
}

/** The lines that parseEnv would pass over, or misread, in silence. A value in quotes may go over several lines. */
function unreadableLines(text: string): readonly UnreadableLine[] {
  const unreadable: UnreadableLine[] = []
  const lines = text.split(/\r?\n/)
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ''
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, value] = assignment.exec(line) ?? []
    if (value === undefined)
      unreadable.push({ line: index + 1, fault: 'not NAME=value; begin a comment with #' })
    const [quote = ''] = value ?? ''
    if (!/["'`]/.test(quote) || value?.includes(quote, 1)) continue
    const last = lines.findIndex((later, at) => at > index && later.includes(quote))
    if (last === -1) unreadable.push({ line: index + 1, fault: `the quote ${quote} is not closed` })
    else index = last
  }
  return unreadable
}
