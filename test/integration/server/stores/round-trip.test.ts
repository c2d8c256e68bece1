/** For random accounts: a mirror of what the mirror serves is the mirror, and what is served means what was sent. */
import fc from 'fast-check'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { connect } from '../../../../src/db/connect.ts'
import { isObject, parseWithSource } from '../../../../src/common/json/exact.ts'
import { mirrorOf, twoVersions } from '../../../support/accounts/account-texts.ts'
import type { Meaning } from '../../../support/accounts/account-texts.ts'
import { readLive } from '../../../support/mirror/live-rows.ts'
import { keyOf, serve } from '../../../support/http/serving.ts'
import { idOf, meaningOf } from '../../../support/accounts/wire-item.ts'
import { startWire } from '../../../support/http/wire.ts'
import { examples } from '../../../support/seed.ts'

describe.each([
  ['postgres', examples(6)],
  ['pglite', examples(2)],
] as const)('what is served (%s)', (engine, numRuns) => {
  test('mirrors to the same rows, and means what the service sent', async () => {
    await using wire = await startWire(engine)
    // Makes the schema.
    await wire.sync()
    await using serving = await serve(wire.target)
    let number = 0
    const property = fc.asyncProperty(twoVersions, async ([account]) => {
      number += 1
      const [first, second] = [`first ${number}`, `second ${number}`]
      wire.bodies.clear()
      wire.bodies.set('', `[${account.events.join(',')}]`)
      for (const [id, responses] of account.lists) wire.bodies.set(id, `[${responses.join(',')}]`)
      await wire.sync({ account: first, createAccount: true })
      const apiKey = await keyOf(wire.target, first)

      expect(await readServed(serving.url, apiKey)).toEqual(mirrorOf(account))
      const { status, report } = await wire.sync({
        account: second,
        createAccount: true,
        baseUrl: serving.url,
        apiKey,
      })
      expect({ status, errors: report.errors, rejected: report.rejected }).toEqual({
        status: 'succeeded',
        errors: [],
        rejected: 0,
      })
      await using database = await connect(wire.target)
      expect(await readLive(database, second)).toEqual(await readLive(database, first))
    })
    await fc.assert(property, { numRuns, seed: 20261122 })
    expect(serving.errors).toEqual([])
  })
})

/** Everything that a key opens, in its meaning. */
async function readServed(url: string, apiKey: string): Promise<Map<string, Meaning>> {
  const read = async (path: string) => {
    const { body } = await request(`${url}${path}`, { headers: { 'X-API-Key': apiKey } })
    const items = parseWithSource(await body.text())
    return Array.isArray(items) ? items.filter(isObject) : []
  }
  const served = new Map<string, Meaning>()
  for (const event of await read('/events')) {
    const id = idOf('event', event) ?? ''
    const responses = await read(`/events/${encodeURIComponent(id)}/responses`)
    served.set(id, {
      record: meaningOf('event', event),
      responses: new Map(
        responses.map((item) => [idOf('response', item) ?? '', meaningOf('response', item)]),
      ),
    })
  }
  return served
}
