import { connect, type OnFolderInUse } from '../../db/connect.ts'
import { UsageError } from '../../common/errors.ts'
import { sampleEmail } from './account/account.ts'

export const demoFolder = './headcount-demo'
export const demoTarget = `pglite:${demoFolder}`
export const demoAccount = 'demo'

/**
 * Empties the demo's mirror, or makes the folder. The sample account lies around the present moment: yesterday's
 * mirror of it would meet another account.
 *
 * @throws UsageError when the folder holds a mirror that the demo did not make; it stays as it is.
 */
export async function resetDemo(onFolderInUse: OnFolderInUse): Promise<void> {
  await using database = await connect(demoTarget, { onFolderInUse })
  await database.transaction(async (trx) => {
    const schema = await trx.query(`select to_regclass('headcount.accounts') is not null`)
    if (schema.rows[0]?.[0] === true) {
      const others = await trx.query(
        'select name from headcount.accounts where name <> $1 or email <> $2 order by name limit 3',
        [demoAccount, sampleEmail],
      )
      if (others.rows.length > 0) throw notOurs(others.rows.map(([name]) => String(name)))
    }
    await trx.query('drop schema if exists headcount, headcount_internal cascade')
  })
}

function notOurs(names: readonly string[]): UsageError {
  return new UsageError(
    `The folder ${demoFolder} holds a mirror of your own (account ${names.join(', ')}), which the demo would have to ` +
      'overwrite; nothing was changed. Move the folder away, or start the demo in another one.',
  )
}
