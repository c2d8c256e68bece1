/** The page at /docs, in a real browser. */
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { contrast, launchBrowser, windows } from '../../support/http/browser.ts'
import { serveAccount } from '../../support/http/serving.ts'

let browser: Browser
const opened = new AsyncDisposableStack()
let page: URL

beforeAll(async () => {
  if (process.platform !== 'linux') return
  const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
  const { url } = opened.use(await serveAccount(account, 'any'))
  page = new URL('/docs', url)
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
  readonly headings: readonly string[]
  /** Links of the page to no place in it. */
  readonly broken: number
}

/** Runs in the page, of whose objects this program knows no types. */
const look = `({
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  background: getComputedStyle(document.body).backgroundColor,
  colour: getComputedStyle(document.body).color,
  headings: [...document.querySelectorAll('h2')].map((heading) => heading.textContent.trim()),
  broken: [...document.querySelectorAll('a[href^="#"]')].filter(
    ({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))) === null).length,
})`

describe.runIf(process.platform === 'linux')('the page in a browser', () => {
  test.each(windows)('%s is whole by itself, fits, and can be read', async (_, options) => {
    await using opened = await browser.newContext(options)
    const tab = await opened.newPage()
    const asked: string[] = []
    const said: string[] = []
    tab.on('request', (request) => asked.push(request.url()))
    tab.on('console', (message) => said.push(message.text()))
    await tab.goto(page.href)

    expect(asked).toEqual([page.href])
    expect(said).toEqual([])
    const seen = await tab.evaluate<Seen>(look)
    expect(seen).toMatchObject({ overflow: 0, broken: 0 })
    expect(seen.headings.join(' ')).toContain('/api/v1/events/{event_id}/responses')
    expect(contrast(seen.background, seen.colour)).toBeGreaterThan(400)
  })
})
