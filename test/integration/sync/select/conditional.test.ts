/** Runs against a service that sends validators: what they save, and how far they are believed. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountOf, refusal, responseItem } from '../../../support/accounts/account.ts'
import type { Account } from '../../../support/accounts/account.ts'
import { send } from '../../../support/http/fault-server.ts'
import type { Answer, SeenRequest } from '../../../support/http/fault-server.ts'
import { onPostgresStage } from '../../../support/runs/stage.ts'
import type { Stage } from '../../../support/runs/stage.ts'

/** Gives every list of responses a validator, honest unless said otherwise, and answers 304 to it. */
function sendValidators({ service, account }: Stage, etagOf: (body: unknown) => string = honest): void {
  service.always(send((request) => withValidator(request, account, etagOf)))
}

function withValidator(request: SeenRequest, account: Account, etagOf: (body: unknown) => string): Answer {
  const answer = account.answer(request)
  if (!request.path.endsWith('/responses') || answer.status !== undefined) return answer
  const etag = etagOf(answer.body)
  if (request.headers['if-none-match'] === etag) return { status: 304, headers: { ETag: etag } }
  return { ...answer, headers: { ETag: etag } }
}

function honest(body: unknown): string {
  return `"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`
}

/** The validators that a run asked with for the responses of each event, sorted. */
async function askedWith({ service }: Stage, work: () => Promise<unknown>): Promise<string[]> {
  const seen = service.requests.length
  await work()
  return service.requests
    .slice(seen)
    .filter(({ path }) => path.endsWith('/responses'))
    .map(({ headers }) => headers['if-none-match'] ?? 'none')
    .toSorted()
}

/** As if so many hours had passed since the lists were read whole. */
function letPass({ change }: Stage, hours: number): Promise<unknown> {
  return change(
    `update headcount.sync_state set last_full_read_at = last_full_read_at - interval '${hours} hours'`,
  )
}

const two = { gala: 3, picnic: 2 }

onPostgresStage('a service with validators', (stage) => {
  test('is asked with them: an unchanged list costs no body, a changed one is read', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 0, events: { changed: 2 } } })
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 2, events: { unchanged: 2 } } })
    on.account.of('gala').push(responseItem(9))
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { not_modified: 1, rows: { responses: { inserted: 1, updated: 0 } } },
    })
    expect(await on.sync()).toMatchObject({ report: { not_modified: 2 } })
    on.expectMirrored()
  })
})

onPostgresStage('a service with validators, more', (stage) => {
  test('H20 is asked for whole lists again 24 hours after the last time', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    await on.sync()
    await letPass(on, 23)
    expect(await on.sync()).toMatchObject({ report: { not_modified: 2 } })
    await letPass(on, 1)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 0, events: { unchanged: 2 } } })
    expect(await on.sync()).toMatchObject({ report: { not_modified: 2 } })
  })

  test('H20 that stay the same while the list changes: the digest tells after 24 hours, with a warning', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on, () => '"for-ever"')
    await on.sync()
    on.account.of('gala').push(responseItem(9))
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 2 } })
    await letPass(on, 24)
    const run = await on.sync()
    expect(run).toMatchObject({ exit: 0, report: { not_modified: 0, rows: { responses: { inserted: 1 } } } })
    expect(run.report.warnings.join()).toMatch(/Event gala: the list has changed although its ETag has not/)
    expect(run.report.warnings).toHaveLength(1)
    on.expectMirrored()
    expect(await askedWith(on, on.sync)).toEqual(['"for-ever"', 'none'])
  })

  test('is not asked with them by a backfill, which trusts nothing', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    await on.sync()
    expect(await askedWith(on, on.backfill)).toEqual(['none', 'none'])
    expect(await on.sync({ all: true })).toMatchObject({ report: { not_modified: 2 } })
  })

  test('is not asked with them while something of the list is held', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    await on.sync()
    const former = on.account.of('gala').splice(0)
    expect(await on.sync()).toMatchObject({ exit: 8, report: { held: 3 } })
    expect(await askedWith(on, on.sync)).toEqual([expect.stringMatching(/^"/), 'none'])
    on.account.of('gala').push(...former)
    expect(await on.sync()).toMatchObject({ exit: 0, report: { held: 0 } })
    expect(await on.sync()).toMatchObject({ report: { not_modified: 2 } })
    on.expectMirrored()
  })

  test('an event whose own record changed is written, though its responses are not modified', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    await on.sync()
    Object.assign(Object(on.account.events[0]), { title: 'The gala, moved' })
    expect(await on.sync()).toMatchObject({
      exit: 0,
      report: { not_modified: 2, events: { changed: 1 }, rows: { events: { updated: 1 } } },
    })
    on.expectMirrored()
  })

  test('an event that failed is well again with a 304', async () => {
    await using on = await stage(accountOf(two))
    sendValidators(on)
    await on.sync()
    on.service.at('/events/gala/responses', send(refusal(400)))
    expect(await on.sync()).toMatchObject({ exit: 6 })
    expect(await on.sync()).toMatchObject({ exit: 0, report: { not_modified: 2 } })
    on.expectMirrored()
  })

  test('H19 a 304 that nobody asked for fails its event alone', async () => {
    await using on = await stage(accountOf(two))
    on.service.at('/events/gala/responses', send({ status: 304 }))
    expect(await on.sync()).toMatchObject({ exit: 6, report: { events: { failed: 1, changed: 1 } } })
    expect(await on.sync()).toMatchObject({ exit: 0 })
    on.expectMirrored()
  })
})
