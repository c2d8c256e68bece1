/** The page at /docs, in a real browser: one from npm, which is there for Linux only. */
import chromium from '@sparticuz/chromium'
import { chromium as launcher, type Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { serveAccount } from '../../support/http/serving.ts'

let browser: Browser
const opened = new AsyncDisposableStack()
let page: URL

beforeAll(async () => {
  if (process.platform !== 'linux') return
  const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
  const { url } = opened.use(await serveAccount(account, 'any'))
  page = new URL('/docs', url)
  // One process for all would end with the first page, and a page that may ask any origin proves less.
  const args = chromium.args.filter((arg) => arg !== '--single-process' && arg !== '--disable-web-security')
  browser = await launcher.launch({ executablePath: await chromium.executablePath(), args })
}, 60_000)

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
  test.each([
    ['on a desk', { viewport: { width: 1200, height: 900 } }],
    ['at night', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' as const }],
    ['on a telephone', { viewport: { width: 360, height: 740 } }],
  ])('%s is whole by itself, fits, and can be read', async (_, options) => {
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
    const [dark, light] = [brightness(seen.background), brightness(seen.colour)].toSorted((a, b) => a - b)
    expect((light ?? 0) - (dark ?? 0)).toBeGreaterThan(400)
  })
})

/** The sum of red, green and blue, from 0 to 765. */
function brightness(colour: string): number {
  return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)
}
