/** `?limit=` and `?after=`: the parts of a list are the list, for who follows the links and for headcount itself. */
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { accountOf, responsesFrom } from '../../../support/accounts/account.ts'
import { send, upstream } from '../../../support/http/fault-server.ts'
import { faultServer, numberText, valuesOf } from '../../../support/http/reading.ts'
import { keyOf, serve } from '../../../support/http/serving.ts'
import { startStage } from '../../../support/runs/stage.ts'

async function servedStage() {
  const account = accountOf({ a: 0, 'b/c': 7, ß: 1, Ａ: 0, '🌸': 0 })
  account.of('a').push(...responsesFrom(-3, 12), { id: '9007199254740993' }, { id: 9007199254740000 })
  const stage = await startStage('postgres', account)
  await stage.sync()
  const serving = await serve(stage.target)
  const key = await keyOf(stage.target)
  return {
    url: serving.url,
    key,
    [Symbol.asyncDispose]: async () => {
      await serving[Symbol.asyncDispose]()
      await stage[Symbol.asyncDispose]()
    },
  }
}

describe('the parts of a list', () => {
  test('follow each other by links, in the order of ids, until the list is whole', async () => {
    await using served = await servedStage()
    const read = async (path: string) => {
      const answer = await request(new URL(path, `${served.url}/`), { headers: { 'X-API-Key': served.key } })
      const link = /^<(.*)>; rel="next"$/.exec(String(answer.headers['link'] ?? ''))?.[1]
      return { status: answer.statusCode, text: await answer.body.text(), link }
    }
    for (const path of ['events', 'events/a/responses', 'events/b%2Fc/responses']) {
      const whole = await read(path)
      expect(whole).toMatchObject({ status: 200, link: undefined })
      for (const limit of [1, 3, 7, 14, 10_000]) {
        const parts: string[] = []
        let next: string | undefined = `${path}?limit=${limit}`
        while (next !== undefined) {
          const part: Awaited<ReturnType<typeof read>> = await read(next)
          expect(part.status).toBe(200)
          if (part.text !== '[]') parts.push(part.text.slice(1, -1))
          next =
            part.link === undefined
              ? undefined
              : new URL(part.link, `http://x/${path}`).href.slice('http://x/'.length)
        }
        expect(`[${parts.join(',')}]`).toBe(whole.text)
      }
    }
  })

  test('are what headcount follows by itself', async () => {
    await using served = await servedStage()
    const between = await faultServer()
    const answers = upstream(new URL(served.url).origin)
    between.always(
      send((asked) =>
        answers(asked.path.includes('?') ? asked : { ...asked, path: `${asked.path}?limit=2` }),
      ),
    )
    const source = numberText(between.baseUrl, { apiKey: served.key })
    expect(await valuesOf(source.events())).toMatchObject([
      { id: 'a' },
      { id: 'b/c' },
      { id: 'ß' },
      { id: 'Ａ' },
      { id: '🌸' },
    ])
    expect(await valuesOf(source.responses('b/c'))).toHaveLength(7)
  })
})
