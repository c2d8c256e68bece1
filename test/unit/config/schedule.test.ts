import { describe, expect, test } from 'vitest'
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
  test.each(['*/90 * * * *', '0 0-23/25 * * *', '*/61 * * * * *', '0 0 1 5,*/13 *', '0 0 * * */8'])(
    '%j has a step that leaves one time alone: refused',
    (text) => expect(schedule(text)).rejects.toThrow('is larger than its field'),
  )
  test.each(['0 9 13 * 5', '0 0 9 1-7 * mon', ' 0 9  L * 5 '])(
    '%j means one thing to cron and another to this program: refused',
    (text) => expect(schedule(text)).rejects.toThrow('Write * for one of them'),
  )
})
