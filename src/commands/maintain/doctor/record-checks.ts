import { stripControlChars } from '../../../common/text/strip-control-chars.ts'
import { wrapWords } from '../../../common/text/fit-text.ts'
import type { Output, Style } from '../../terminal/terminal.ts'
import type { Check, CheckResult } from './check.ts'

export type RecordCheck = (name: string, result: CheckResult) => Promise<void>

/** Keeps the checks in their order. @param out where each is shown at once; null: nowhere */
export function recordChecks(out: Output | null): {
  readonly checks: readonly Check[]
  readonly record: RecordCheck
} {
  const checks: Check[] = []
  const record: RecordCheck = async (name, result) => {
    checks.push({ name, ...result })
    await out?.write(formatCheck(name, result, out))
  }
  return { checks, record }
}

const colours: Readonly<Record<CheckResult['state'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'red',
  skipped: 'dim',
}
const NAME_WIDTH = 'configuration'.length

function formatCheck(name: string, { state, detail }: CheckResult, out: Output): string {
  const hang = NAME_WIDTH + 11
  const lines = stripControlChars(detail)
    .split('\n')
    .map((line) => wrapWords(line, { width: out.width, hang }))
    .join(`\n${' '.repeat(hang)}`)
  return `${out.style(colours[state], state.padEnd(7))}  ${name.padEnd(NAME_WIDTH)}  ${lines}\n`
}
