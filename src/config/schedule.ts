/** The schedule of a worker. It is read here and not with the other values: the library has none, and does not bring node-cron. */
import { InvalidValueError, quote } from '../common/parse-values.ts'

/** A schedule in cron's form, checked by the library that will run it. */
export async function schedule(text: string): Promise<string> {
  const { validateDetailed } = await import('node-cron')
  const verdict = validateDetailed(text)
  if (verdict.valid) {
    requireOneKindOfDay(text)
    requireSmallSteps(text)
    return text
  }
  const faults = verdict.errors.map(({ field, value = '' }) => {
    const takes = fieldTakes[field]
    return takes === undefined ? faultOfWhole(text) : `${takes}, not ${quote(value)}`
  })
  throw new InvalidValueError(
    `must be a cron schedule of five or six fields, not ${quote(text)}: ${faults.join('; ')}`,
  )
}

/** By the names of node-cron. */
const fieldTakes: Readonly<Record<string, string>> = {
  second: 'the second takes 0 to 59',
  minute: 'the minute takes 0 to 59',
  hour: 'the hour takes 0 to 23',
  dayOfMonth: 'the day of the month takes 1 to 31, and only a day that its month has',
  month: 'the month takes 1 to 12, or jan to dec',
  dayOfWeek: 'the weekday takes 0 to 7, or sun to sat',
}

function faultOfWhole(text: string): string {
  const { length } = text.match(/\S+/g) ?? []
  return length === 5 || length === 6
    ? 'it has a character that cron does not use'
    : `it has ${length} of them`
}

/** cron runs on days that fit either field, node-cron on those that fit both. */
function requireOneKindOfDay(text: string): void {
  const [dayOfMonth = '*', , weekday = '*'] = text.trim().split(/\s+/).slice(-3)
  // With a step cron too takes the days that fit both.
  if (![dayOfMonth, weekday].every((field) => /^[^*?]/.test(field))) return
  throw new InvalidValueError(
    `must be a cron schedule with a day of the month or a weekday, not ${quote(text)} with both: cron means days that fit either, others days that fit both. Write * for one of them; the first Monday of a month is the weekday 1#1`,
  )
}

/** How many values the fields have, from the last one on. */
const FIELD_SIZES = [7, 12, 31, 24, 60, 60]

/** cron counts anew in each hour: every 90 minutes is every hour. */
function requireSmallSteps(text: string): void {
  for (const [place, field] of text.trim().split(/\s+/).toReversed().entries())
    for (const [, step = ''] of field.matchAll(/\/(\d+)/g))
      if (Number(step) > (FIELD_SIZES[place] ?? Infinity))
        throw new InvalidValueError(
          `must be a cron schedule with smaller steps, not ${quote(text)}: the step ${step} is larger than its field, which has ${FIELD_SIZES[place]} values, so that one of them is left`,
        )
}
