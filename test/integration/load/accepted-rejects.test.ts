/** What is accepted, list by list, and what then still counts. */
import { expect, test } from 'vitest'
import type { Database } from '../../../src/db/connect.ts'
import { acceptRejects, revokeAccepted, findByHashPrefix } from '../../../src/load/state/accepted-rejects.ts'
import { countRejects, replaceRejects } from '../../../src/load/state/rejects.ts'
import { onBoth } from '../../support/databases/databases.ts'

const everywhere = { account: null, event_id: null }
const [same, other] = [`cafe0000${'1'.repeat(56)}`, `cafe0000${'2'.repeat(56)}`]

function reject(item_index: number, sha256: string) {
  return { item_index, reason: 'id_missing', path: '$', payload: '{}', bytes: 2, sha256, id: null }
}

/** The same item in the event list, twice in one event and once in another, and a different one. */
async function fill(database: Database): Promise<number> {
  return database.transaction(async (trx) => {
    const { rows } = await trx.query(`insert into headcount.accounts (name) values ('a') returning id`)
    const account = Number(rows[0]?.[0])
    await replaceRejects(trx, account, '1', [
      { event_id: null, rejects: [[reject(0, same)]] },
      { event_id: 'ball', rejects: [[reject(0, same), reject(1, same)]] },
      { event_id: 'gala', rejects: [[reject(0, same), reject(1, other)]] },
    ])
    return account
  })
}

onBoth('acceptances', (fresh) => {
  test('hold for every list that has the item, or for one, and are taken back', async () => {
    await using mirror = await fresh()
    const account = await fill(mirror.database)
    await mirror.database.transaction(async (trx) => {
      const count = (event?: string) => countRejects(trx.kysely, account, event)
      expect(await count()).toEqual({ rejected: 5, accepted: 0 })
      expect(await acceptRejects(trx, { account: 'a', event_id: 'ball' }, [same])).toMatchObject([
        { account: 'a', event_id: 'ball', sha256: same },
      ])
      expect(await count()).toEqual({ rejected: 3, accepted: 2 })
      expect(await count('ball')).toEqual({ rejected: 0, accepted: 2 })
      expect(await acceptRejects(trx, { ...everywhere, account: 'b' }, [same])).toEqual([])
      for (const _ of ['once', 'twice']) {
        const accepted = await acceptRejects(trx, everywhere, [same])
        expect(accepted.map(({ event_id }) => event_id)).toEqual([null, 'ball', 'gala'])
      }
      expect(await count()).toEqual({ rejected: 1, accepted: 4 })
      expect(await count('gala')).toEqual({ rejected: 1, accepted: 1 })
      expect(await revokeAccepted(trx, { ...everywhere, event_id: 'gala' }, [same])).toHaveLength(1)
      expect(await count()).toEqual({ rejected: 2, accepted: 3 })
    })
  })

  test('are found by the first digits of their sums', async () => {
    await using mirror = await fresh()
    await fill(mirror.database)
    await mirror.database.transaction(async (trx) => {
      const rejects = (prefix: string) => findByHashPrefix(trx, 'headcount.rejects', everywhere, prefix)
      expect(await rejects('cafe0000')).toEqual([same, other])
      expect(await rejects('cafe00002')).toEqual([other])
      expect(await rejects('cafe_000')).toEqual([])
      const accepted = () => findByHashPrefix(trx, 'headcount.accepted_rejects', everywhere, 'cafe0000')
      expect(await accepted()).toEqual([])
      await acceptRejects(trx, everywhere, [other])
      expect(await accepted()).toEqual([other])
    })
  })
})
