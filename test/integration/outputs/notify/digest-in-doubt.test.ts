/** A digest of which nobody heard whether it was accepted, at a receiver that goes by `Idempotency-Key`. */
import { expect, test } from 'vitest'
import { sendDigest, type Delivery } from '../../../../src/index.ts'
import { accountOf, responseItem } from '../../../support/accounts/account.ts'
import {
  startWebRecipient,
  type Posted,
  type WebAnswer,
} from '../../../support/outputs/notify/web-recipient.ts'
import { onBothStages, onPostgresStage, optionOf, type Stage } from '../../../support/runs/stage.ts'

/** Of a proxy before the receiver, which took the message. */
const GATEWAY_TIMEOUT = 504

/** A mirror, and a receiver that was sent the first digest. */
async function told(start: (account: ReturnType<typeof accountOf>) => Promise<Stage>) {
  const account = accountOf({})
  const gala = account.add('gala', 3, {
    title: 'Gala',
    event_at: new Date(Date.now() + 30 * 86_400_000).toISOString(),
  })
  await using opened = new AsyncDisposableStack()
  const on = opened.use(await start(account))
  await on.sync()
  const bodies = new Map<unknown, string>()
  /** How it answers a message that it has not seen. */
  let next: WebAnswer | 'hang up' = { status: 200 }
  const web = opened.use(
    await startWebRecipient((posted) => {
      const [key, body] = [keyOf(posted), JSON.stringify(posted.body)]
      const seen = bodies.get(key)
      if (seen !== undefined) return { status: seen === body ? 200 : 422 }
      if (next === 'hang up' || next.status < 300 || next.status === GATEWAY_TIMEOUT) bodies.set(key, body)
      return next
    }),
  )
  const send = async (): Promise<Delivery['state'] | undefined> =>
    (await sendDigest({ ...optionOf(on.target), to: `${web.origin}/hooks/s3cret` }))[0]?.state
  await send()
  const resources = opened.move()
  return {
    on,
    gala,
    posted: web.posted,
    send,
    answerWith: (answer: WebAnswer | 'hang up') => void (next = answer),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const keyOf = ({ headers }: Posted) => headers['idempotency-key']

async function answered(on: Stage, id: number): Promise<void> {
  on.account.of('gala').push(responseItem(id))
  await on.sync({ all: true })
}

/** A digest of one answer is in doubt, and its event has another title since. */
async function inDoubt(start: (account: ReturnType<typeof accountOf>) => Promise<Stage>) {
  const one = await told(start)
  await answered(one.on, 7)
  one.answerWith('hang up')
  expect(await one.send()).toBe('failed')
  one.gala['title'] = 'Gala in the barn'
  await one.on.sync({ all: true })
  return one
}

onBothStages('a digest in doubt', (stage) => {
  test('is the same bytes with the same key while what it tells is the same', async () => {
    await using one = await told(stage)
    await answered(one.on, 7)
    one.answerWith('hang up')
    expect(await one.send()).toBe('failed')
    // The mirror is another one meanwhile: another run, and the message would say another age of it.
    await answered(one.on, 8)
    expect(await one.send()).toBe('accepted')
    const [, first, again] = one.posted
    expect(again?.body).toEqual(first?.body)
    expect(again?.headers).toEqual(first?.headers)
    expect(await one.send()).toBe('failed')
    const { digest } = one.posted.at(-1)?.body ?? {}
    expect(digest.responses_new.total).toBe('1')
    expect(digest.after_run_id).toBe(again?.body.digest.until_run_id)
  })
})

onPostgresStage('a digest in doubt (postgres)', (stage) => {
  test('has another key when it tells something else, and does not keep what comes later', async () => {
    await using one = await inDoubt(stage)
    one.answerWith({ status: 200 })
    expect(await one.send()).toBe('accepted')
    expect(keyOf(one.posted[2] as Posted)).not.toBe(keyOf(one.posted[1] as Posted))
    expect(await one.send()).toBe('accepted')
    expect(one.posted.at(-1)?.body.digest.events_changed.total).toBe('1')
  })

  test('is in doubt where a gateway before the receiver heard nothing of it (504)', async () => {
    await using one = await told(stage)
    await answered(one.on, 7)
    one.answerWith({ status: GATEWAY_TIMEOUT })
    expect(await one.send()).toBe('failed')
    await answered(one.on, 8)
    one.answerWith({ status: 200 })
    expect(await one.send()).toBe('accepted')
    expect(keyOf(one.posted[2] as Posted)).toBe(keyOf(one.posted[1] as Posted))
    expect(one.posted[2]?.body).toEqual(one.posted[1]?.body)
  })

  test('is in no doubt where the receiver said that it failed (500): the next one tells what came since, too', async () => {
    await using one = await told(stage)
    await answered(one.on, 7)
    one.answerWith({ status: 500 })
    expect(await one.send()).toBe('failed')
    await answered(one.on, 8)
    one.answerWith({ status: 200 })
    expect(await one.send()).toBe('accepted')
    expect(one.posted[2]?.body.digest.responses_new.total).toBe('2')
  })

  test('stays in doubt where the receiver is still at it (409)', async () => {
    await using one = await inDoubt(stage)
    one.answerWith({ status: 409 })
    expect(await one.send()).toBe('failed')
    one.answerWith({ status: 200 })
    expect(await one.send()).toBe('accepted')
    expect(keyOf(one.posted[3] as Posted)).toBe(keyOf(one.posted[2] as Posted))
    expect(one.posted[3]?.body.digest.events_changed.total).toBe('0')
  })

  test('that is refused for good is in doubt no more: the next one tells the same and what came since', async () => {
    await using one = await inDoubt(stage)
    one.answerWith({ status: 422 })
    expect(await one.send()).toBe('failed')
    one.answerWith({ status: 200 })
    expect(await one.send()).toBe('accepted')
    expect(one.posted.at(-1)?.body.digest).toMatchObject({
      responses_new: { total: '1' },
      events_changed: { total: '1' },
    })
  })
})
