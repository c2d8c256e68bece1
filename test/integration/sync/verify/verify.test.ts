import { expect, test } from 'vitest'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { onBothStages } from '../../../support/runs/stage.ts'
import { inWords, verifyOn } from '../../../support/runs/verify.ts'

onBothStages('verify', (stage) => {
  test('after a run everything is equal; a mirror that was never filled has nothing to compare', async () => {
    await using on = await stage(accountOf({ gala: 5, picnic: 0, ball: 3 }))
    expect(await verifyOn(on)).toMatchObject({
      status: 'partial',
      lists_chosen: 3,
      lists_compared: 0,
      lists_never_read: ['ball', 'gala', 'picnic'],
      events_changed: true,
      requests: 3,
    })
    await on.sync()
    expect(await verifyOn(on)).toMatchObject({
      account: 'default',
      status: 'equal',
      differences: [],
      differences_total: 0,
      lists_chosen: 3,
      lists_compared: 3,
      lists_changed: [],
      lists_never_read: [],
      lists_failing: [],
      events_changed: false,
      events_compared: 3,
      responses_compared: 8,
      held: 0,
      rejected: 0,
      errors_total: 0,
    })
  })

  test.each([
    ['as bytes', { random: () => 0.99 }, 1],
    ['in SQL', { thorough: true }, 2],
  ])(
    'finds every row that was changed, deleted or inserted by hand, in each table and column, %s',
    async (_, how, inSql) => {
      const account = accountOf({})
      account.add('gala', 0, { event_at: '2026-05-01T18:00:00Z', note: 1 })
      account.add('ball', 0)
      account
        .of('gala')
        .push(
          responseItem(1, { amount: '12.50', quantity: 3, note: { deep: [1.5] } }),
          responseItem(2, { message: 'with slots' }),
          responseItem(3),
          responseItem(4),
          responseItem(5),
        )
      await using on = await stage(account)
      await on.sync()
      await on.change(
        `update headcount.events set title = 'X', event_at = 'infinity', description = 'd', event_type = null, location = 'l',
              _extra = null where id = 'gala'`,
        `delete from headcount.events where id = 'ball'`,
        `insert into headcount.events (account_id, id, _run_id) values (1, 'ghost', 1)`,
        // Response 1: each column of its own, and the payment.
        `update headcount.responses set kind = 'bare', name = 'N', email = null, message = 'm', quantity = 4, rsvp = 'no',
              created_at = created_at + interval '1 microsecond', updated_at = timestamptz '2026-01-01 00:00:00Z',
              _extra = '{"note": {"deep": [2]}}' where id = 1`,
        `update headcount.payments set amount = 12.5, processing_fee = null where response_id = 1`,
        // Response 2: slots changed, swapped, one more.
        `update headcount.slots set position = position + 10 where response_id = 2`,
        `update headcount.slots set position = 13 - position where response_id = 2`,
        `update headcount.slots set end_date = end_date + interval '1 hour', start_local = start_local - interval '1 day',
              _extra = '{}' where response_id = 2 and position = 2`,
        `insert into headcount.slots (account_id, event_id, response_id, position) values (1, 'gala', 2, 3)`,
        // Responses 3 and 5: gone, a slot stays; with one response too many and rows that hang on nothing.
        `delete from headcount.responses where id in (3, 5)`,
        `insert into headcount.responses (account_id, event_id, id, kind, _run_id) values (1, 'gala', 0, 'bare', 1)`,
        `insert into headcount.payments (account_id, event_id, response_id) values (1, 'gala', 99)`,
        `delete from headcount.slots where response_id = 5 and position = 2`,
        `insert into headcount.responses (account_id, event_id, id, kind, _run_id) values (1, 'nowhere', 7, 'bare', 1)`,
        `delete from headcount.payments where response_id = 4`,
      )
      const report = await verifyOn(on, how)
      expect(report).toMatchObject({ status: 'different', lists_thorough: inSql })
      expect(inWords(report)).toEqual([
        'events ball: missing',
        'events gala: title The gala | X',
        'events gala: event_at 2026-05-01T18:00:00Z | infinity',
        'events gala: description null | d',
        'events gala: event_type rsvp | null',
        'events gala: location null | l',
        'events gala: _extra {"note": 1} | null',
        'responses gala 1: kind payment | bare',
        'responses gala 1: name Guest 1 | N',
        'responses gala 1: email guest1@example.org | null',
        'responses gala 1: message null | m',
        'responses gala 1: quantity 3 | 4',
        'responses gala 1: rsvp null | no',
        'responses gala 1: created_at 2026-03-01T10:00:00Z | 2026-03-01T10:00:00.000001Z',
        'responses gala 1: updated_at null | 2026-01-01T00:00:00Z',
        'responses gala 1: _extra {"note": {"deep": [1.5]}} | {"note": {"deep": [2]}}',
        'responses gala 3: missing',
        'responses gala 5: missing',
        'payments gala 1: amount 12.50 | 12.5',
        'payments gala 1: processing_fee 0.40 | null',
        'payments gala 4: missing',
        'slots gala 2 1: name Setup | Bar',
        'slots gala 2 1: start_date 2026-05-01T06:00:00Z | 2026-05-01T18:00:00Z',
        'slots gala 2 1: end_date 2026-05-01T07:00:00Z | null',
        'slots gala 2 1: start_local 2026-05-01T08:00:00 | 2026-05-01T20:00:00',
        'slots gala 2 1: end_local 2026-05-01T09:00:00 | null',
        'slots gala 2 2: name Bar | Setup',
        'slots gala 2 2: start_date 2026-05-01T18:00:00Z | 2026-05-01T06:00:00Z',
        'slots gala 2 2: end_date null | 2026-05-01T08:00:00Z',
        'slots gala 2 2: start_local 2026-05-01T20:00:00 | 2026-04-30T08:00:00',
        'slots gala 2 2: end_local null | 2026-05-01T09:00:00',
        'slots gala 2 2: _extra null | {}',
        'slots gala 2 3: extra',
        'slots gala 5 2: missing',
        'responses gala 0: extra',
        'payments gala 99: extra',
        'events ghost: extra',
        'responses nowhere 7: extra',
      ])
      expect(report.differences_total).toBe(report.differences.length)
      const foretold = await on.run('backfill', { dryRun: true })
      const { report: mended } = await on.backfill()
      expect(mended.rows).toEqual(foretold.report.rows)
      expect(inWords(await verifyOn(on))).toEqual([])
    },
  )

  test('what is held is said to be held, and a row whose item is rejected is not extra', async () => {
    await using on = await stage(accountOf({ gala: 40, picnic: 3 }))
    await on.sync()
    on.account.of('gala').splice(0, 20)
    on.account.of('picnic')[1] = { id: 2, deep: nested(70) }
    await on.sync()
    const report = await verifyOn(on)
    expect(report).toMatchObject({
      status: 'equal',
      lists_compared: 2,
      held: 20,
      rejected: 1,
      lists_changed: [],
    })
  })
})

function nested(depth: number): unknown {
  return depth === 0 ? 1 : { in: nested(depth - 1) }
}
