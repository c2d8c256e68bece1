/** Lists of events of which nothing was stored: their rows are copied unseen, unless something is there all the same. */
import { expect, test } from 'vitest'
import { accountOf } from '../../../support/accounts/account.ts'
import { onBothStages } from '../../../support/runs/stage.ts'

onBothStages('the list of a new event', (stage) => {
  test('is compared when rows of it are there that nobody knows of', async () => {
    await using on = await stage(accountOf({ ball: 1 }))
    await on.sync()
    on.account.add('gala', 3)
    on.account.add('fair', 2)
    await on.change(
      `insert into headcount.responses (account_id, event_id, id, kind, name, _run_id)
       values (1, 'gala', 1, 'bare', 'By hand', 1), (1, 'gala', 9, 'bare', 'Unknown', 1)`,
    )
    const { report } = await on.sync({ acceptDeletions: true })
    expect(report.rows.responses).toEqual({ inserted: 4, updated: 1, deleted: 1 })
    on.expectMirrored()
  })
})
