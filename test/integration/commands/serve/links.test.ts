/** `links create`, `links list`, `links revoke`: what is printed, once, what it opens, and what is refused. */
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { hashKey } from '../../../../src/mirror/keys/secret.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { commandStage, onBothCommandStages } from '../../../support/commands/command-stage.ts'
import { startServe, urlOf } from '../../../support/commands/process.ts'

onBothCommandStages('links through serve', (stage) => {
  test('are made, shown without a key, listed without their address, and taken back', async () => {
    await using s = await stage(accountOf({ gala: 3 }))
    expect(await s.run(['sync', '--quiet'])).toMatchObject({ code: 0 })
    await using served = startServe([], { env: s.env })
    const url = await urlOf(served)
    const base = url.replace(/\/api\/v1$/, '')
    expect((await s.run(['links'])).stdout).toBe('No links yet. headcount links create makes one.\n')
    const env = { HEADCOUNT_PUBLIC_URL: base, HEADCOUNT_LOG_LEVEL: 'debug' }
    const made = await s.run(
      ['links', 'create', '--view', 'responses', '--as', 'csv', '--event', 'gala', '--label', 'seating'],
      { env },
    )
    expect(made.code).toBe(0)
    expect(made.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/l\/[\w-]{43}\/responses\.csv\n$/)
    expect(made.stderr).toContain(
      'Link 1 shows responses of gala as csv of account default to whoever has this address, with names, addresses and messages. ' +
        'It is shown only this once; headcount links revoke 1 revokes it.\n',
    )
    const address = made.stdout.trim()
    const token = address.split('/').at(-2) ?? ''
    expect(made.stderr).not.toContain(token)
    const answer = await request(address)
    expect(answer.statusCode).toBe(200)
    expect((await answer.body.text()).split('\r\n')).toHaveLength(5)
    const table = await s.run(['links'])
    expect(table.stdout).toMatch(/^ *1 +default +responses of gala as csv +seating +active +never +/m)
    const json = await s.run(['links', 'list', '--json'])
    expect(JSON.parse(json.stdout)).toMatchObject({
      links: [
        { id: 1, view: 'responses', format: 'csv', event_id: 'gala', with_personal: true, label: 'seating' },
      ],
    })
    for (const { stdout } of [table, json]) {
      expect(stdout).not.toContain(token)
      expect(stdout).not.toContain(hashKey(token).slice(0, 8))
    }
    expect(await s.run(['links', 'revoke', '1'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Link 1 (seating) of account default is revoked: from now on its address shows nothing.\n',
    })
    expect((await request(address)).statusCode).toBe(410)
    expect((await s.run(['links', 'revoke', '1'])).stderr).toMatch(/was revoked before, at \d{4}-.* UTC\.\n$/)
    served.kill('SIGTERM')
    await served.ended
    expect(JSON.stringify(served.log)).not.toContain(token)
  })
})

describe('links create', () => {
  test('prints an address under HEADCOUNT_PUBLIC_URL, or says who reaches it', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await s.run(['sync', '--quiet'])
    const create = (...flags: readonly string[]) =>
      s.run(['links', 'create', '--view', 'thin_slots', '--as', 'ics', '--without-personal', ...flags])
    const web = await create('--public-url', 'https://club.example/guests/', '--expires', '2999-12-31')
    expect(web.stdout).toMatch(/^https:\/\/club\.example\/guests\/l\/[\w-]{43}\/thin-slots\.ics\n$/)
    expect(web.stderr).toMatch(
      /^Link 1 shows thin_slots as ics, nothing personal of account default to whoever has this address until 2999-12-31 [\d:]+ UTC\. It is shown only this once; headcount links revoke 1 revokes it\.\n$/,
    )
    const local = await create('--json')
    expect(JSON.parse(local.stdout)).toEqual({
      id: 2,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/l\/[\w-]{43}\/thin-slots\.ics$/) as string,
    })
    expect(local.stderr).toMatch(
      /^Only this machine or network reaches http:\/\/127\.0\.0\.1:8080; where serve has another --port, put it in the address\. .*HEADCOUNT_PUBLIC_URL/,
    )
    const args = ['links', 'create', '--view', 'events', '--as', 'csv']
    const zone = await s.run(args, { env: { HEADCOUNT_SERVE_HOST: 'fe80::1%none' } })
    expect(zone).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^http:\/\/\[fe80::1%none\]:8080\/l\//) as string,
    })
  })

  test('what is refused makes no link, and says what would be taken', async () => {
    await using s = await commandStage('postgres', accountOf({ gala: 1 }))
    await s.run(['sync', '--quiet'])
    const csv = ['create', '--view', 'events', '--as', 'csv'] as const
    const refusals = [
      [['create', '--as', 'csv'], 'links create takes --view NAME and --as FORM'],
      [['create', '--view', 'events'], 'links create takes --view NAME and --as FORM'],
      [
        ['create', '--view', 'evnts', '--as', 'csv'],
        'links create: there is no table or view "evnts" (did you mean',
      ],
      [['create', '--view', 'responses', '--as', 'ics'], 'responses is no calendar: choose one of events'],
      [['create', '--view', 'events', '--as', 'pdf'], 'must be one of csv, html, ics, json'],
      [[...csv, '--event', 'gal'], 'The mirror has no event "gal"'],
      [
        ['create', '--view', 'respondents', '--as', 'csv', '--event', 'gala'],
        'rows of respondents are of no event',
      ],
      [[...csv, '--account', 'west'], 'The mirror has no account "west"; it has default.'],
      [[...csv, '--expires', '2020-01-01'], 'is past: the clock of the database says'],
      [[...csv, '--public-url', 'ftp://x'], 'must be an address like https://events.example.org'],
      [['revoke', '7'], 'There is no link 7: headcount links list shows those there are.'],
      [
        ['revoke', 'https://x/l/secret'],
        'links revoke takes the number of a link: headcount links list shows it',
      ],
    ] as const
    for (const [args, message] of refusals) {
      const ran = await s.run(['links', ...args])
      expect(ran).toMatchObject({ code: 2, stdout: '' })
      expect(ran.stderr).toContain(message)
    }
    expect(JSON.parse((await s.run(['links', '--json'])).stdout)).toEqual({ links: [] })
  })
})
