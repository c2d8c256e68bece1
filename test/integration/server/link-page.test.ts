/** The page of a link, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink } from '../../../src/index.ts'
import { accountOf, responseItem } from '../../support/accounts/account.ts'
import { contrast, launchBrowser, windows } from '../../support/http/browser.ts'
import { serve } from '../../support/http/serving.ts'
import { optionOf, startStage } from '../../support/runs/stage.ts'

const attack = `<img src="http://127.0.0.1:1/x" onerror="document.title='run'"><script>document.title='run'</script>`
const opened = new AsyncDisposableStack()
let browser: Browser
let page = ''

beforeAll(async () => {
  if (process.platform !== 'linux') return
  const account = accountOf({ gala: 0 })
  account
    .of('gala')
    .push(responseItem(1, { name: attack, message: 'a long message '.repeat(40) }), responseItem(2))
  const stage = opened.use(await startStage('postgres', account))
  await stage.sync()
  const { url } = opened.use(await serve(stage.target))
  const { path } = await createLink({ ...optionOf(stage.target), view: 'response_details', format: 'html' })
  page = url.replace(/\/api\/v1$/, path)
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await opened.disposeAsync()
})

interface Seen {
  /** Pixels that lie beyond the right edge. */
  readonly overflow: number
  readonly background: string
  readonly colour: string
  readonly heads: number
  readonly cells: readonly string[]
}

/** Runs in the page, of whose objects this program knows no types. */
const look = `({
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  background: getComputedStyle(document.body).backgroundColor,
  colour: getComputedStyle(document.body).color,
  heads: document.querySelectorAll('th').length,
  cells: [...document.querySelectorAll('td')].map((cell) => cell.textContent),
})`

describe.runIf(process.platform === 'linux')('the page of a link in a browser', () => {
  test.each(windows)('%s fits, can be read, and runs nothing that a guest wrote', async (_, options) => {
    await using context = await browser.newContext(options)
    const tab = await context.newPage()
    const asked: string[] = []
    const said: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    tab.on('console', (message) => said.push(message.text()))
    await tab.goto(page)

    expect(asked).toEqual([page])
    expect(said).toEqual([])
    expect(await tab.title()).toBe('response details')
    const seen = await tab.evaluate<Seen>(look)
    expect(seen.overflow).toBe(0)
    expect(seen.cells).toHaveLength(2 * seen.heads)
    expect(seen.cells).toContain(attack)
    expect(contrast(seen.background, seen.colour)).toBeGreaterThan(400)
  })
})
