import { expect, test } from 'vitest'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import {
  chunked,
  cutShort,
  oneByteSlices,
  resetInBody,
  send,
  untilClose,
  upstream,
} from '../../support/http/fault-server.ts'
import { faultServer, numberText, testKey, valuesOf } from '../../support/http/reading.ts'
import { serveAccount } from '../../support/http/serving.ts'

test('the whole sample account comes through a connection that breaks now and then', async () => {
  const account = createSampleAccount({ seed: 7, now: new Date('2026-03-01T12:00:00Z') })
  await using service = await serveAccount(account, testKey)
  const between = await faultServer()
  const answers = upstream(new URL(service.url).origin)
  between.always(send(answers))
  between.next(send(answers, resetInBody), send(answers, chunked), send(answers, oneByteSlices))
  const source = numberText(between.baseUrl)

  expect(await source.ping()).toMatchObject({ email: account.email, serverDate: expect.any(Date) })
  expect(await valuesOf(source.events())).toEqual(account.events().toSorted((a, b) => (a.id < b.id ? -1 : 1)))
  between.next(send(answers, cutShort), send(answers, untilClose))
  const events = account.events()
  const lists = await Promise.all(events.map((event) => valuesOf(source.responses(event.id))))
  const bare = (items: unknown): unknown => JSON.parse(JSON.stringify(items))
  const withoutRawNumbers = lists.map((list) => bare(list))
  expect(withoutRawNumbers).toEqual(events.map((event) => bare(account.responses(event.id))))
  expect(source.counts).toMatchObject({ requests: events.length + 4, retries: 2 })
})
