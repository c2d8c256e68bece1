import { commandName, quoteForShell } from '../../common/command-name.ts'
import { stripControlCharsInLine } from '../../common/text/strip-control-chars.ts'

/** The message about an account whose removal was interrupted. */
export function describeRemoval(account: string, since: string): string {
  const command = `${commandName()} accounts remove ${quoteForShell(stripControlCharsInLine(account))}`
  return `half removed since ${since}, and no mirror any more: ${command} removes the rest`
}
