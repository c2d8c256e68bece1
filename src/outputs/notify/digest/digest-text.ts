import { commandName } from '../../../common/command-name.ts'
import type { Digest } from '../../../mirror/answers/digest/digest.ts'
import { outlineText } from '../outline/text.ts'
import { digestOutline } from './digest-outline.ts'

/** Ends with a line feed. Of a mirror without an account it says so. */
export function digestText({ accounts }: Pick<Digest, 'accounts'>): string {
  if (accounts.length === 0) return `No account was mirrored here yet. Begin with: ${commandName()} sync\n`
  return accounts.map((account) => outlineText(digestOutline(account))).join('\n')
}
