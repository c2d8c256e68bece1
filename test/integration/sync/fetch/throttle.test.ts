import { expect, test } from 'vitest'
import { accountOf, refusal } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'

const PER_SECOND = 50

onPostgresStage('a service that allows 50 requests a second, and does not say so', (stage) => {
  test('H7 is mirrored whole, and few requests are refused', async () => {
    const names = Array.from({ length: 150 }, (_, place) => `event-${place}`)
    await using on = await stage(accountOf(Object.fromEntries(names.map((name) => [name, 2]))))
    let window = 0
    let used = 0
    let refused = 0
    on.service.always((socket, request) => {
      const current = Math.floor(performance.now() / 1000)
      if (current !== window) used = 0
      window = current
      used += 1
      if (used <= PER_SECOND) return send(on.account.answer(request))(socket, request)
      refused += 1
      return send(refusal(429))(socket, request)
    })
    const { exit, report } = await on.sync()
    expect({ exit, errors: report.errors }).toEqual({ exit: 0, errors: [] })
    expect(report.events).toMatchObject({ failed: 0 })
    expect(report.retries).toBe(refused)
    // A run as short as this one does little but learn: about a tenth.
    expect(refused / report.requests, `${refused} of ${report.requests} refused`).toBeLessThan(0.25)
    on.expectMirrored()
  })
})
