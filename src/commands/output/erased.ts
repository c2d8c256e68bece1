import type { ErasureReport } from '../../index.ts'
import { formatCount } from '../../common/text/number.ts'

/** What an erasure removed, in one line. */
export function formatErased({ erased }: Pick<ErasureReport, 'erased'>): string {
  const counts = [
    formatCount(erased.responses, 'response'),
    formatCount(erased.versions, 'former version'),
    formatCount(
      erased.rejects,
      'text of an item that cannot be stored',
      'texts of items that cannot be stored',
    ),
    formatCount(erased.messages, 'error message or report', 'error messages and reports'),
  ].filter((_, place) => place < 2 || [erased.rejects, erased.messages][place - 2] !== 0)
  return `Erased the personal data of ${counts.join(', ')}, in ${formatCount(erased.events, 'event')}.\n`
}
