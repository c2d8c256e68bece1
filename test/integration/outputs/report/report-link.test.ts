/** A link to the report: without names unless they are asked for, within the time of a link, and what becomes of a removed event. */
import { request } from 'undici'
import { expect, test } from 'vitest'
import { createLink, listLinks, revokeLink } from '../../../../src/index.ts'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import { serve } from '../../../support/http/serving.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'

function clubAccount(): Account {
  const account = accountOf({ fair: 2 })
  account.add('gala', 0, {
    title: 'The gala',
    event_at: new Date(Date.now() + 10 * 86_400_000).toISOString(),
  })
  account.of('gala').push(responseItem(3, { name: 'Ada Lovelace', rsvp: 'yes' }))
  return account
}

async function linkOf(stage: Stage, options: { event?: string; withoutPersonal?: boolean } = {}) {
  return createLink({ ...optionOf(stage.target), view: 'report', format: 'html', ...options })
}

async function get(url: string) {
  const { statusCode, headers, body } = await request(url)
  return { status: statusCode, headers, text: await body.text() }
}

onBothStages('a link to the report', (start) => {
  test('shows no names unless they are asked for, and is a page like another', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    const { path } = await linkOf(stage)
    const named = await linkOf(stage, { withoutPersonal: false, event: 'gala' })
    await using served = await serve(stage.target)
    const base = served.url.replace(/\/api\/v1$/, '')
    const plain = await get(base + path)
    expect(plain).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-disposition': 'inline; filename="report.html"',
        'cache-control': 'private, no-cache',
        'x-robots-tag': 'noindex, nofollow',
        'referrer-policy': 'no-referrer',
      },
    })
    expect(plain.text).toContain('The gala')
    expect(plain.text).not.toMatch(/Ada|Guest|@example/)
    expect((await get(base + named.path)).text).toContain('Ada Lovelace')
    expect(await listLinks(optionOf(stage.target))).toMatchObject([
      { view: 'report', format: 'html', event_id: null, with_personal: false },
      { view: 'report', format: 'html', event_id: 'gala', with_personal: true },
    ])
    await expect(createLink({ ...optionOf(stage.target), view: 'report', format: 'csv' })).rejects.toThrow(
      'the report is a page: its form is html, not csv',
    )
  })

  test('to an event that is no longer listed says so', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    const { path } = await linkOf(stage, { event: 'gala' })
    stage.account.remove('gala')
    await stage.sync({ acceptDeletions: true })
    await using served = await serve(stage.target)
    const gone = await get(served.url.replace(/\/api\/v1$/, path))
    expect([gone.status, JSON.parse(gone.text)]).toMatchObject([
      410,
      { code: 'link_view_removed', detail: expect.stringContaining('has no event "gala"') as string },
    ])
  })
})

onPostgresStage('a link to the report', (start) => {
  test('that is unknown or was revoked says so to a person in a sentence', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    const { id, path } = await linkOf(stage)
    await revokeLink({ ...optionOf(stage.target), id })
    await using served = await serve(stage.target)
    const base = served.url.replace(/\/api\/v1$/, '')
    const person = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
    for (const [status, address, said] of [
      [410, path, 'This link was revoked: it shows nothing any more: ask for a new one.\n'],
      [
        404,
        '/l/unknown/report.html',
        'No such link: this address shows nothing: copy the whole of it, or ask for a new one.\n',
      ],
    ] as const) {
      const { statusCode, headers, body } = await request(base + address, { headers: person })
      expect([statusCode, headers['content-type'], await body.text()]).toEqual([
        status,
        'text/plain; charset=utf-8',
        said,
      ])
    }
  })

  test('that takes longer than a link may says what to do', async () => {
    await using stage = await start(clubAccount())
    await stage.sync()
    const { path } = await linkOf(stage)
    await using served = await serve(stage.target)
    await stage.change(
      `create or replace function headcount_internal.slow() returns bigint language sql volatile as 'select 1::bigint from pg_sleep(30)'`,
      'drop view headcount.rsvp_values cascade',
      `create view headcount.rsvp_values as select id as account_id, name as account, 'x' as value, headcount_internal.slow() as responses, 'unknown' as meaning from headcount.accounts`,
    )
    const slow = await get(served.url.replace(/\/api\/v1$/, path))
    expect([slow.status, JSON.parse(slow.text)]).toMatchObject([
      503,
      {
        code: 'link_too_slow',
        detail: expect.stringMatching(
          /make a link for one event, with --event, or let cron write the page/,
        ) as string,
      },
    ])
  })
})
