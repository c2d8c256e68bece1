import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountOf } from '../../support/accounts/account.ts'
import { headcountProcess } from '../../support/commands/command.ts'
import { testKey } from '../../support/http/reading.ts'
import { onPostgresStage } from '../../support/runs/stage.ts'

const MB = 1_000_000

onPostgresStage('the size of an item', (stage) => {
  test('P17 an item of 50 MB is rejected with its beginning, its size and its hash; its live row and its neighbours stand', async () => {
    await using on = await stage(accountOf({ gala: 3 }))
    await on.sync()
    const grown = { id: 2, name: 'Guest 2', message: 'x'.repeat(50 * MB) }
    on.account.of('gala').splice(1, 1, grown)
    on.account.of('gala').splice(2, 1, { id: 3, name: 'Another' })
    // A process of its own: the tests look up each constant of a module anew, here for each byte.
    const ran = await headcountProcess(['sync', '--quiet', '--json'], {
      env: {
        HEADCOUNT_BASE_URL: on.service.baseUrl.href,
        HEADCOUNT_API_KEY: testKey,
        DATABASE_URL: on.url,
      },
    })
    expect(ran.code).toBe(8)
    expect(JSON.parse(ran.stdout)).toMatchObject({ rejected: 1, rows: { responses: { updated: 1 } } })
    await on.look()
    const text = JSON.stringify(grown)
    const [reject] = on.mirror.rows('rejects').map((row) => JSON.parse(row) as Record<string, unknown>)
    expect(reject).toMatchObject({
      event_id: 'gala',
      item_index: 1,
      path: '$[1]',
      reason: 'too_large',
      bytes: text.length,
      sha256: createHash('sha256').update(text).digest('hex'),
      payload: text.slice(0, 64 * 1024),
    })
    expect(await on.query('select name from headcount.responses order by id')).toEqual([
      ['Guest 1'],
      ['Guest 2'],
      ['Another'],
    ])
    on.account.of('gala').splice(1, 1, { id: 2, name: 'Guest 2' })
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})
