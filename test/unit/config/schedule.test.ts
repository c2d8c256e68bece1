import { describe, expect, test } from 'vitest'
import { InvalidValueError } from '../../../src/common/parse-values.ts'
import { schedule } from '../../../src/config/schedule.ts'

describe('the schedule is checked by the library that runs it', () => {
  test.each([
    '*/15 * * * *',
    '0 3 * * 1-5',
    '*/10 * * * * *',
    '0 9 13 * ?',
    '0 9 * * 1#1',
    '0 9 */2 * 5',
    '0 0 9 * * fri',
    '*/60 */24 * * *',
    '0,30-59/10 * * * *',
  ])('%s is one', (text) => expect(schedule(text)).resolves.toBe(text))
  test.each(['', 'x', '61 * * * *', '0 0 30 2 *', '* * *'])('%j is none', (text) =>
    expect(schedule(text)).rejects.toThrow('must be a cron schedule'),
  )
  test.each([
    ['61 * * * *', 'the minute takes 0 to 59, not "61"'],
    ['0 0 30 2 *', 'the day of the month takes 1 to 31, and only a day that its month has, not "30"'],
    ['0 24 * 13 *', 'the hour takes 0 to 23, not "24"; the month takes 1 to 12, or jan to dec, not "13"'],
    ['* * *', 'it has 3 of them'],
    ['0 0 ! * *', 'it has a character that cron does not use'],
  ])('of %j it says what is wrong', (text, fault) =>
    expect(schedule(text)).rejects.toThrow(
      new InvalidValueError(`must be a cron schedule of five or six fields, not "${text}": ${fault}`),
    ),
  )
  test.each(['*/90 * * * *', '0 0-23/25 * * *', '*/61 * * * * *', '0 0 1 5,*/13 *', '0 0 * * */8'])(
    '%j has a step that leaves one time alone: refused',
    (text) => expect(schedule(text)).rejects.toThrow('is larger than its field'),
  )
  test.each(['0 9 13 * 5', '0 0 9 1-7 * mon', ' 0 9  L * 5 '])(
    '%j means one thing to cron and another to this program: refused',
    (text) => expect(schedule(text)).rejects.toThrow('Write * for one of them'),
  )
})
