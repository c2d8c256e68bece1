/** `headcount observations`: the open points of the specification, with what the traffic and the rows show. */
import { expect, test } from 'vitest'
import type { AccountObservations } from '../../../../src/mirror/observations/open-questions.ts'
import { accountOf } from '../../../support/accounts/account.ts'
import { onBothCommandStages, onPostgresCommandStage } from '../../../support/commands/command-stage.ts'

const open = [
  'pagination',
  'errors',
  'fields',
  'rsvp',
  'event_type',
  'shapes',
  'limits',
  'ids',
  'order',
  'headers',
  'times',
  'beyond',
]

onBothCommandStages('observations', (stage) => {
  test('tells for a program what was seen of each open point, and what is in the mirror now', async () => {
    const account = accountOf({ gala: 3, picnic: 2 })
    account.of('gala').push({ id: 70, rsvp: 'waitlist', diet: 'vegan', created_at: 'yesterday' })
    await using s = await stage(account)
    expect((await s.run(['sync', '-q'])).code).toBe(0)
    account.of('gala').pop()
    expect((await s.run(['sync', '-q'])).code).toBe(0)

    const ran = await s.run(['observations', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const { accounts } = JSON.parse(ran.stdout) as { accounts: readonly AccountObservations[] }
    const [observations] = accounts
    expect([accounts.length, observations?.account, observations?.points.map(({ point }) => point)]).toEqual([
      1,
      'default',
      open,
    ])
    const findings = (wanted: string) =>
      Object.fromEntries(
        observations?.points
          .find(({ point }) => point === wanted)
          ?.findings.map(({ subject, fact, value, now, seen }) => [
            `${subject} ${fact} ${value}`,
            [now, seen],
          ]) ?? [],
      )
    expect(findings('rsvp')).toEqual({
      'response.rsvp value yes': [1, 2],
      'response.rsvp value waitlist': [0, 1],
    })
    expect(findings('event_type')).toEqual({ 'event.event_type value rsvp': [2, 1] })
    expect(findings('shapes')).toEqual({
      'event.event_type shape rsvp: payment': [2, null],
      'event.event_type shape rsvp: signup': [2, null],
      'event.event_type shape rsvp: reply': [1, null],
    })
    expect(findings('ids')).toMatchObject({
      'response.id scope in several events': [2, null],
      'response.id scope in one event': [1, null],

      'event.id id_form a-z 0-9 -': [2, null],
    })
    expect(findings('fields')).toMatchObject({
      'reply.name sent value': [null, 2],
      'reply.name sent absent': [null, 1],
      'slot.end_date sent null': [null, 2],
      'slot.end_date empty no value': [2, null],
    })
    expect(findings('times')).toMatchObject({ 'response.created_at time_form other text': [null, 1] })
    expect(findings('beyond')).toEqual({ 'response unknown_field diet': [0, 1] })
    expect(findings('errors')).toEqual({})
    expect(ran.stdout).not.toMatch(/guest\d|Guest/)
  })
})

onPostgresCommandStage('observations', (stage) => {
  test('tells a person the same, readable at 80 columns and safe for a terminal', async () => {
    const account = accountOf({ gala: 6 })
    account.of('gala').push({ id: 70, rsvp: 'may\u001b[31mbe', ['di\u0007et']: 1 })
    await using s = await stage(account)
    await s.run(['sync', '-q'])
    const ran = await s.run(['observations', '--account', 'default'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.split('\n')[0]).toMatch(/^account default \(observed since \d{4}-\d\d-\d\d\)$/)
    expect(ran.stdout).not.toMatch(/[\u001b\u0007]/)
    expect(ran.stdout).toContain('di\\x07et')
    expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(ran.stdout).toMatch(/^reply\.rsvp +sent +value +1 +\d{4}-\d\d-\d\d$/m)

    const other = await s.run(['observations', '--account', 'nobody'])
    expect(other).toMatchObject({ code: 2, stdout: '' })
    expect(other.stderr).toContain('The mirror has no account "nobody"; it has default.')
  })
})
