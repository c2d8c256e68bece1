import { Client } from 'pg'
import { connect } from '../../../src/db/connect.ts'
import { onServer } from '../databases/databases.ts'

/** A role of its own that has these rights on the tables of a mirror and no others: it may look at them. */
export async function readerOf(
  url: string,
  rights = 'select',
): Promise<AsyncDisposable & { readonly name: string; readonly url: string }> {
  const name = `reader_${new URL(url).pathname.slice(1)}`
  await onServer(`create role ${name} login password 'reader'`)
  await using database = await connect(url)
  await database.transaction(async (trx) => {
    await trx.query(`grant usage on schema headcount to ${name}`)
    await trx.query(`grant ${rights} on all tables in schema headcount to ${name}`)
  })
  const readerUrl = new URL(url)
  readerUrl.username = name
  readerUrl.password = 'reader'
  return {
    name,
    url: readerUrl.href,
    [Symbol.asyncDispose]: async () => {
      const client = new Client(url)
      await client.connect()
      await client.query(`drop owned by ${name}`)
      await client.query(`drop role ${name}`)
      await client.end()
    },
  }
}
