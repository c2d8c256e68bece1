/** Settings from a file, when the call names one. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { ConfigurationError, UsageError } from '../common/errors.ts'

const assignment = /^\s*(?:export\s+)?[A-Za-z_]\w*\s*=\s*(.*)$/

/**
 * Puts the variables of a file into the environment. A variable that is set already stays as it is, as with Node's own
 * `--env-file` and with Docker Compose.
 *
 * @throws UsageError when the file cannot be read; ConfigurationError naming each line that is no assignment
 */
export function loadEnvFile(path: string): void {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new UsageError(
      `--env-file: cannot read ${JSON.stringify(path)} (${reason}): check the path and the rights`,
    )
  }
  const faults = unreadableLines(text).map(
    (line) => `${path}, line ${line}: not NAME=value; begin a comment with #`,
  )
  if (faults.length > 0) throw new ConfigurationError(faults)
  // oxlint-disable-next-line node/no-process-env -- what the caller asked for is a part of the environment
  for (const [name, value] of Object.entries(parseEnv(text))) process.env[name] ??= value
}

/** The numbers of the lines that parseEnv would pass over in silence. A value in quotes may go over several lines. */
function unreadableLines(text: string): readonly number[] {
  const unreadable: number[] = []
  let quote: string | null = null
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (quote !== null) {
      if (line.includes(quote)) quote = null
      continue
    }
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, value] = assignment.exec(line) ?? []
    if (value === undefined) unreadable.push(index + 1)
    const [mark = ''] = value ?? ''
    if (/["'`]/.test(mark) && !value?.includes(mark, 1)) quote = mark
  }
  return unreadable
}
