/** What becomes of an organiser's normal work: each line of the table in docs/reliability.md. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { heldOf, timePasses } from '../../../support/mirror/holds.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'

/** 300 responses to 7 events: of these rows 30 may go in one run. */
const account = () => accountOf({ old: 60, gala: 120, picnic: 80, ball: 30, tea: 8, one: 1, other: 1 })

interface Work {
  readonly does: string
  readonly work: (account: Account) => void
  readonly ends: 'at once' | 'an hour later' | 'by the owner'
  readonly reason?: string
  /** Held at first. */
  readonly held?: number
}

const works: readonly Work[] = [
  { does: 'withdraws the only response of an event', work: (of) => of.of('one').pop(), ends: 'at once' },
  {
    does: 'takes thirty responses out of three lists',
    work: (of) => {
      of.of('gala').splice(0, 12)
      of.of('picnic').splice(0, 8)
      of.of('ball').splice(0, 10)
    },
    ends: 'at once',
  },
  { does: 'deletes an event of eight responses', work: (of) => of.remove('tea'), ends: 'at once' },
  {
    does: 'deletes one old event with 60 of 300 responses',
    work: (of) => of.remove('old'),
    ends: 'an hour later',
    reason: 'many_missing',
    held: 1,
  },
  {
    does: 'empties a list of two responses or more',
    work: (of) => of.of('tea').splice(0),
    ends: 'an hour later',
    reason: 'list_empty',
    held: 8,
  },
  {
    does: 'takes 20 of 80 responses out of a list',
    work: (of) => of.of('picnic').splice(0, 20),
    ends: 'an hour later',
    reason: 'many_missing',
    held: 20,
  },
  {
    does: 'takes eight responses out of each of four lists',
    work: (of) => ['old', 'gala', 'picnic', 'ball'].forEach((id) => of.of(id).splice(0, 8)),
    ends: 'an hour later',
    reason: 'run_total',
    held: 8,
  },
  {
    does: 'empties four of seven lists in one run',
    work: (of) => ['old', 'tea', 'one', 'other'].forEach((id) => of.of(id).splice(0)),
    ends: 'by the owner',
    reason: 'account_empty',
    held: 70,
  },
  {
    does: 'deletes all events',
    work: (of) => of.remove('old', 'gala', 'picnic', 'ball', 'tea', 'one', 'other'),
    ends: 'by the owner',
    reason: 'list_empty',
    held: 7,
  },
]

onPostgresStage('the work of an organiser', (stage) => {
  test.each(works)('S16 $does: gone $ends', async ({ work, ends, reason, held }) => {
    await using on = await stage(account())
    await on.sync()
    work(on.account)
    const first = await on.sync({ concurrency: 1 })
    if (ends === 'at once') {
      expect(first).toMatchObject({ exit: 0 })
      return on.expectMirrored()
    }
    expect(first).toMatchObject({ exit: 8, report: { held } })
    const reasons = [...on.mirror.states.keys()].flatMap((id) => heldOf(on, id).map(([why]) => why))
    expect(new Set(reasons)).toEqual(new Set([reason]))
    await timePasses(on, 60)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held } })
    if (ends === 'by the owner') {
      expect(await on.sync()).toMatchObject({ exit: 8, report: { held } })
      expect(await on.sync({ acceptDeletions: true })).toMatchObject({ exit: 0 })
    } else expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})
