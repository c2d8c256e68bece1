/** The order of the rows of an export. */
import { expect, test } from 'vitest'
import { createSampleAccount } from '../../../../src/commands/demo/account/account.ts'
import { connect } from '../../../../src/db/connect.ts'
import { chooseViews, EXPORTABLE, viewQuery } from '../../../../src/outputs/export/select-views.ts'
import { columnName } from '../../../../src/outputs/export/column.ts'
import { startWire } from '../../../support/http/wire.ts'
import { answerTo } from '../../../support/mirror/query.ts'

/** What the account of the demo has too little of: versions of an event, values that do not fit, slots that need people. */
const fair = (run: number) => ({ id: 'fair', title: `Fair ${run}`, event_at: 'late' })
const soon = `${new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)}T10:00:00Z`
const signUps = ['Bar', 'Door'].map((name, id) => ({
  id: id + 1,
  amount: 'much',
  slots: [{ name, start_date: soon, end_date: 'late' }],
}))

test('leaves no two rows of a table or view in either order', async () => {
  await using wire = await startWire('postgres')
  const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:20:30Z') })
  wire.bodies.set('fair', JSON.stringify(signUps))
  for (let run = 0; run < 5; run++) {
    const events = account.events()
    wire.bodies.set('', JSON.stringify([...events, fair(run)]))
    for (const { id } of events) wire.bodies.set(id, JSON.stringify(account.responses(id)))
    const { error } = await wire.sync({ all: true, acceptDeletions: true })
    expect(error).toBeNull()
    account.advance()
  }
  await using database = await connect(wire.target)
  const few: string[] = []
  for (const view of chooseViews(EXPORTABLE, false)) {
    const form = { accountId: null, event: null }
    const { query = '' } =
      (await database.transaction((trx) => viewQuery(trx, view, form, { select: columnName }))) ?? {}
    const [, order = 'null'] = / order by (.*)$/.exec(query) ?? []
    const { rows } = await answerTo(
      database,
      `select count(*)::text, count(distinct row (${order}))::text from headcount.${view.relation} v`,
    )
    const [[all, distinct] = []] = rows
    expect(distinct, `${view.name} by ${order}`).toBe(all)
    if (Number(all) < 2) few.push(view.name)
  }
  expect(few).toEqual([])
})
