import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { shorten } from '../../../common/text/fit-text.ts'
import { formatCount, formatNumber, moneyText } from '../../../common/text/number.ts'
import type { AccountDigest, DigestPart } from '../../../mirror/answers/digest/digest.ts'

const MAX_COLUMNS = 120

/** The name of a digest that nobody named. */
export const DEFAULT_DIGEST_NAME = 'default'

/** What happened, in one line: `headcount north: 18 new, 11 changed, 13 withdrawn, +250.00`. */
export function digestSubject(name: string, digest: AccountDigest): string {
  return shorten(
    stripControlCharsInLine(`${labelOf(name, digest.account)}: ${summaryOf(digest)}`),
    MAX_COLUMNS,
  )
}

/** What is called "default" needs no further name. */
function labelOf(name: string, account: string): string {
  const [chosen] = [name, account].filter((text) => text !== 'default')
  return chosen === undefined ? 'headcount' : `headcount ${chosen}`
}

function summaryOf(digest: AccountDigest): string {
  if (digest.is_first) return 'from now on what changes'
  const { amount, total } = digest.money
  const facts = [
    count(digest.events_removed, (found) => `${formatCount(found, 'event')} no longer listed`),
    count(digest.events_changed, (found) => `${formatCount(found, 'event')} changed`),
    count(digest.events_announced, (found) => `${formatCount(found, 'event')} announced`),
    count(digest.responses_new, (found) => `${formatNumber(found)} new`),
    count(digest.responses_changed, (found) => `${formatNumber(found)} changed`),
    count(digest.responses_withdrawn, (found) => `${formatNumber(found)} withdrawn`),
    total === '0' ? null : `${amount.startsWith('-') ? '' : '+'}${moneyText(amount)}`,
    digest.pruned_until === null ? null : 'history was pruned',
    digest.mirror.whole ? null : 'the mirror is not whole',
    digest.mirror.fresh ? null : 'the mirror is not fresh',
  ].filter((fact) => fact !== null)
  return facts.length === 0 ? 'nothing new' : facts.join(', ')
}

function count({ total }: DigestPart<unknown>, describe: (total: string) => string): string | null {
  return total === '0' ? null : describe(total)
}
