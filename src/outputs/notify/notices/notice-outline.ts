import { commandName } from '../../../common/command-name.ts'
import type { MirrorState } from '../../../common/schema/tables.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import { shorten } from '../../../common/text/fit-text.ts'
import type { Outline } from '../outline/outline.ts'

/** Five held lists with their reasons fit. */
const MAX_REASON_COLUMNS = 2000

const headlines: Readonly<Record<MirrorState, string>> = {
  good: 'runs succeed again',
  failed: 'the last run failed',
  partial: 'the last run left something out',
  held_too_long: 'deletions wait for a decision',
  stale: 'the mirror is too old',
}

export function noticeSubject(account: string, state: MirrorState): string {
  return stripControlCharsInLine(
    `headcount${account === 'default' ? '' : ` ${account}`}: ${headlines[state]}`,
  )
}

/** @param reason null: it may quote somebody, and is not told */
export function noticeOutline(account: string, state: MirrorState, reason: string | null): Outline {
  return {
    title: stripControlCharsInLine(`${account}: ${headlines[state]}`),
    lead: reason === null || state === 'good' ? [] : [sentence(reason)],
    parts: [],
    end: state === 'good' ? [] : [`See ${commandName()} status.`],
  }
}

function sentence(reason: string): string {
  const line = stripControlCharsInLine(reason.replaceAll(/\s+/g, ' '))
  const capital = line.charAt(0).toUpperCase() + line.slice(1)
  const shown = shorten(capital, MAX_REASON_COLUMNS)
  return shown === capital ? `${capital.replace(/\.$/, '')}.` : shown
}
