/** The transaction that a list too large for memory has of its own: never idle for long, and no other list's matter. */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import type { Pool } from 'pg'
import { expect, test, vi } from 'vitest'
import { prefetch } from '../../../../src/load/prefetch.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import { freshMirror } from '../../../support/databases/databases.ts'
import { openPool } from '../../../support/databases/pools.ts'
import { onBothStages, onPostgresStage } from '../../../support/runs/stage.ts'

const tiny = { inMemoryBytes: 100, chunkBytes: 100 }

/** The messages of a client of pg, which its types do not show. */
interface Connection {
  parse: (query: { readonly text: string }) => void
}

/** A pool whose transactions may be idle for so long only. `onSet`: one was begun so; `onLost`: one was ended, and the next attempt may succeed. */
function impatientPool(
  connectionString: string,
  idleMs: number,
  told: { readonly onSet: () => void; readonly onLost: () => void },
): Pool {
  const setting = (ms: number) => `idle_in_transaction_session_timeout to '${ms}ms'`
  class Impatient extends Client {
    constructor(...args: ConstructorParameters<typeof Client>) {
      super(...args)
      this.on('error', told.onLost)
      // The settings of a transaction go out beside its first statement, each as a message of its own.
      const { connection } = this as unknown as { readonly connection: Connection }
      const parse = connection.parse.bind(connection)
      connection.parse = (query) => {
        const isSetting = query.text.includes(setting(20_000))
        if (isSetting) told.onSet()
        parse(isSetting ? { ...query, text: query.text.replace(setting(20_000), setting(idleMs)) } : query)
      }
    }
  }
  return openPool(connectionString, { max: 4, Client: Impatient })
}

/** Files are read slowly, as on a machine that is busy or whose disk is. */
async function readSlowly(ms: number): Promise<Disposable> {
  const file = await open('/dev/null')
  const prototype = Object.getPrototypeOf(file) as FileHandle
  await file.close()
  // oxlint-disable-next-line typescript/unbound-method -- it is called on the file that is read
  const { read } = prototype
  return vi.spyOn(prototype, 'read').mockImplementation(async function (
    this: FileHandle,
    ...args: unknown[]
  ) {
    await setTimeout(ms)
    return Reflect.apply(read, this, args)
  })
}

onPostgresStage('P21 a large list on a slow machine', (stage) => {
  test('whose ids are out of order, one twice: no transaction is idle while it is read through', async () => {
    await using on = await stage(accountOf({ gala: 30, picnic: 2 }))
    on.account.of('gala').reverse()
    on.account.of('gala').splice(5, 0, responseItem(30, { name: 'Late', updated_at: '2026-03-05T10:00:00Z' }))
    const told = { onSet: vi.fn(), onLost: vi.fn() }
    const pool = impatientPool(on.url, 2000, told)
    {
      // To read it through takes some 3 s, one piece 0.1 s.
      using _ = await readSlowly(100)
      const ended = await on.run('sync', { ...tiny, pool })
      expect(ended.report.errors).toEqual([])
      expect(ended).toMatchObject({ exit: 0 })
      expect(told.onSet).toHaveBeenCalled()
      expect(told.onLost).not.toHaveBeenCalled()
    }
    await pool.end()
    await on.look()
    expect(on.mirror.rows('responses')).toHaveLength(32)
    expect(on.mirror.rows('responses').join()).toContain('"Late"')
  })

  test('the transaction stays awake however long the next rows take', async () => {
    await using mirror = await freshMirror('postgres')
    const slowly = async function* () {
      yield 1
      await setTimeout(3000)
      yield 2
    }
    const read = (everyMs: number) =>
      mirror.database.transaction(async (trx) => {
        await trx.query(`set local idle_in_transaction_session_timeout = '1500ms'`)
        const values = await Array.fromAsync(prefetch(trx, slowly(), everyMs))
        await trx.query('select 1')
        return values
      })
    expect(await read(50)).toEqual([1, 2])
    await expect(read(5000)).rejects.toThrow(/idle-in-transaction timeout.*machine is overloaded/)
  })
})

onBothStages('P21 a large list that the database refuses', (stage) => {
  test('fails alone: exit 6, the others are mirrored, and the next run reads it', async () => {
    await using on = await stage(accountOf({ gala: 8, picnic: 8, ball: 2 }))
    await on.sync(tiny)
    await on.change(
      `create function public.refuse() returns trigger language plpgsql as $$ begin perform 1 / 0; end $$`,
      `create trigger refuse before insert on headcount.responses
          for each row when (new.event_id = 'gala' and new.name = 'Refused') execute function public.refuse()`,
    )
    for (const id of ['gala', 'picnic', 'ball'])
      on.account.of(id).push(responseItem(100, { name: 'Refused' }))
    const { exit, report } = await on.sync(tiny)
    expect({ exit, errors: report.errors, rows: report.rows.responses }).toEqual({
      exit: 6,
      errors: [
        {
          event_id: 'gala',
          code: 'database',
          message: expect.stringContaining('division by zero') as string,
        },
      ],
      rows: { inserted: 2, updated: 0, deleted: 0 },
    })
    await on.change('drop trigger refuse on headcount.responses')
    expect(await on.sync(tiny)).toMatchObject({ exit: 0, report: { rows: { responses: { inserted: 1 } } } })
    on.expectMirrored()
  })
})
