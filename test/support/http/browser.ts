/** A real browser: one from npm, which is there for Linux only. */
import chromium from '@sparticuz/chromium'
import { chromium as launcher, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Where there is a browser. */
const isThere = process.platform === 'linux'

/** What a page that can be read has in common, and what a test looks at beside it. */
interface Looked {
  /** Pixels that lie beyond the right edge. */
  readonly overflow: number
  readonly background: string
  readonly colour: string
}

/**
 * A page in windows of every kind: it asks for nothing but itself, says nothing on the console, fits, and can be read.
 *
 * @param open serves the page and gives its address; what it opens is closed after the tests
 * @param look the properties of an object in JavaScript, for of the objects of a page this program knows no types
 */
export function describePage<Seen>(
  name: string,
  {
    title,
    open,
    look,
  }: {
    readonly title: string
    readonly open: (opened: AsyncDisposableStack) => Promise<string>
    readonly look: string
  },
  expectSeen: (seen: Seen, tab: Page) => void | Promise<void>,
): void {
  describe.runIf(isThere)(name, () => {
    const opened = new AsyncDisposableStack()
    let browser: Browser
    let address = ''
    beforeAll(async () => {
      address = await open(opened)
      browser = await launchBrowser()
      opened.defer(() => browser.close())
    })
    afterAll(() => opened.disposeAsync())

    test.each(windows)(title, async (_, options) => {
      await using context = await browser.newContext(options)
      const tab = await context.newPage()
      const asked: string[] = []
      const said: string[] = []
      tab.on('request', (request) => asked.push(request.url()))
      tab.on('console', (message) => said.push(message.text()))
      await tab.goto(address)

      expect(asked).toEqual([address])
      expect(said).toEqual([])
      const seen = await tab.evaluate<Looked & Seen>(`({ ${appearance}, ${look} })`)
      expect(seen.overflow).toBe(0)
      expect(contrast(seen.background, seen.colour)).toBeGreaterThan(400)
      await expectSeen(seen, tab)
    })
  })
}

const appearance = `
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  background: getComputedStyle(document.body).backgroundColor,
  colour: getComputedStyle(document.body).color`

export async function launchBrowser(): Promise<Browser> {
  // One process for all would end with the first page, and a page that may ask any origin proves less.
  const args = chromium.args.filter((arg) => arg !== '--single-process' && arg !== '--disable-web-security')
  return launcher.launch({ executablePath: await chromium.executablePath(), args })
}

/** Windows in which a page must be readable. */
export const windows: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desk', { viewport: { width: 1200, height: 900 } }],
  ['at night', { viewport: { width: 1200, height: 900 }, colorScheme: 'dark' }],
  ['on a telephone', { viewport: { width: 360, height: 740 } }],
]

/** The sum of red, green and blue, from 0 to 765. */
function brightness(colour: string): number {
  return (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0)
}

/** How far text and background are apart, from 0 to 765. */
export function contrast(one: string, other: string): number {
  return Math.abs(brightness(one) - brightness(other))
}
