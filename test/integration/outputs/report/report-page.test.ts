/** The page of a report in a real browser: on a desk, on a telephone, at night and on paper, with names that somebody else chose. */
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink, report } from '../../../../src/index.ts'
import { accountOf, responseItem, type Account } from '../../../support/accounts/account.ts'
import { launchBrowser } from '../../../support/http/browser.ts'
import { serve } from '../../../support/http/serving.ts'
import { optionOf, startStage } from '../../../support/runs/stage.ts'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const attack = `<script>document.title='run'</script><img src="http://127.0.0.1:1/x" onerror="document.title='run'">`
const hostile = [
  attack,
  `"' onmouseover='document.title=1' x="`,
  '\u202Efdp.exe \u2066reversed',
  'x'.repeat(10_000),
  'e\u0301'.repeat(3000),
  '👩‍👩‍👧‍👦🎉'.repeat(40),
  '</title></style></script><h1>hello</h1>',
  '${1}&amp;&#39;]]>-->',
]

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** Every text that the service sends is somebody's attempt. */
function hostileAccount(): Account {
  const account = accountOf({})
  for (const [at, title] of hostile.entries()) {
    account.add(`next${at}`, 0, { title: `${title} 2026`, event_at: inDays(at + 2) })
    account.add(`last${at}`, 0, { title: `${title} 2025`, event_at: inDays(at - 370) })
    const slots = [{ name: title, start_date: inDays(at + 1), end_date: null }]
    for (const [place, id] of [`next${at}`, `last${at}`].entries()) {
      account.of(id).push(
        responseItem(1, {
          name: title,
          message: title,
          email: `<${'a'.repeat(300)}@example.org>`,
          quantity: 3,
          rsvp: 'yes',
          created_at: inDays(-place * 365 - 20),
        }),
        responseItem(2, { name: title, amount: '12.50', created_at: inDays(-place * 365 - 5) }),
        responseItem(3, { name: title, slots, quantity: 1, created_at: inDays(-place * 365 - 3) }),
        responseItem(4, {
          name: title,
          rsvp: title,
          quantity: '9223372036854775807',
          created_at: inDays(-2),
        }),
      )
    }
  }
  return account
}

/** Figures of a club, in thousands. */
function clubAccount(): Account {
  const account = accountOf({})
  account.add('gala', 0, { title: 'The great gala of the garden club', event_at: inDays(20) })
  const slots = [{ name: 'Bar', start_date: inDays(19), end_date: null }]
  account
    .of('gala')
    .push(
      responseItem(1, { rsvp: 'yes', quantity: 1234, created_at: inDays(-1) }),
      responseItem(2, { rsvp: 'maybe', quantity: 2345, created_at: inDays(-1) }),
      responseItem(3, { slots, quantity: 1, created_at: inDays(-1) }),
    )
  return account
}

const opened = new AsyncDisposableStack()
let browser: Browser
/** Each kind of page by its address: from disk, and of a link. */
const pages = new Map<string, string>()

beforeAll(async () => {
  if (process.platform !== 'linux') return
  const folder = opened.use(await mkdtempDisposable(join(tmpdir(), 'headcount-test-report-')))
  const stage = opened.use(await startStage('postgres', hostileAccount()))
  await stage.sync()
  stage.account.of('next0').splice(0, 1)
  stage.account.of('next1')[0] = responseItem(1, { name: `${attack} again`, message: attack, rsvp: 'no' })
  stage.account.of('next1').push(responseItem(9, { name: attack, rsvp: attack }))
  stage.account.add('gone', 0, { title: attack })
  await stage.sync({ all: true })
  const option = optionOf(stage.target)
  const fileOf = async (name: string, event?: string) => {
    const out = join(folder.path, `${name}.html`)
    await report({ ...option, out, ...(event !== undefined && { event }) })
    pages.set(name, pathToFileURL(out).href)
  }
  await fileOf('account')
  await fileOf('event', 'next1')
  const empty = opened.use(await startStage('postgres', accountOf({})))
  await empty.sync()
  const { html } = await report(optionOf(empty.target))
  await writeFile(join(folder.path, 'empty.html'), html)
  pages.set('empty', pathToFileURL(join(folder.path, 'empty.html')).href)
  const club = opened.use(await startStage('postgres', clubAccount()))
  await club.sync()
  await report({ ...optionOf(club.target), out: join(folder.path, 'club.html') })
  pages.set('club', pathToFileURL(join(folder.path, 'club.html')).href)
  const { url } = opened.use(await serve(stage.target))
  const { path } = await createLink({ ...option, view: 'report', format: 'html', withoutPersonal: false })
  pages.set('link', url.replace(/\/api\/v1$/, path))
  browser = await launchBrowser()
})

afterAll(async () => {
  await browser?.close()
  await opened.disposeAsync()
})

const kinds = ['account', 'event', 'empty', 'link']
const windows: readonly (readonly [string, BrowserContextOptions])[] = [
  ['on a desk', { viewport: { width: 1280, height: 900 } }],
  ['at night', { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' }],
  ['on a telephone', { viewport: { width: 390, height: 844 }, hasTouch: true }],
]

interface Opened extends AsyncDisposable {
  readonly tab: Page
  readonly asked: readonly string[]
  readonly said: readonly string[]
}

async function open(kind: string, options: BrowserContextOptions): Promise<Opened> {
  const context = await browser.newContext(options)
  const tab = await context.newPage()
  const asked: string[] = []
  const said: string[] = []
  tab.on('request', (request) => asked.push(request.url()))
  tab.on('console', (message) => said.push(message.text()))
  tab.on('pageerror', (error) => said.push(String(error)))
  await tab.goto(pages.get(kind) ?? '')
  return { tab, asked, said, [Symbol.asyncDispose]: () => context.close() }
}

/** Runs in the page, of whose objects this program knows no types. */
const look = `({
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  foreign: document.querySelectorAll('img, iframe, object, link, script[src], [style], [onerror], [onmouseover]').length,
  scripts: document.scripts.length,
  headings: [...document.querySelectorAll('h1')].map((heading) => heading.textContent.trim().slice(0, 20)),
  longest: Math.max(...[...document.querySelectorAll('td, th, li')].map((cell) => cell.textContent.length)),
})`

interface Seen {
  readonly overflow: number
  readonly foreign: number
  readonly scripts: number
  readonly headings: readonly string[]
  readonly longest: number
}

describe.runIf(process.platform === 'linux').each(kinds)('a report in a browser (%s)', (kind) => {
  test.each(windows)(
    '%s fits, fetches nothing, says nothing, and runs nothing that a guest wrote',
    async (_, options) => {
      await using page = await open(kind, options)
      const { tab, asked, said } = page
      const seen = await tab.evaluate<Seen>(look)
      expect(seen).toMatchObject({ overflow: 0, foreign: 0, scripts: 1 })
      expect(seen.headings).toHaveLength(1)
      expect(seen.longest).toBeLessThan(2000)
      await tab.evaluate(`document.querySelectorAll('summary, th button').forEach((one) => one.click())`)
      expect(await tab.title()).not.toBe('run')
      expect(await tab.textContent('body')).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
      expect(asked).toEqual([pages.get(kind)])
      expect(said).toEqual([])
    },
  )

  // The page of a link is that of the account; its colours and its narrow form are the same for an event and for nothing.
  const read = kind === 'account' ? windows : kind === 'link' ? [] : windows.slice(0, 1)
  test.each(read)('%s can be read by everybody (axe)', async (_, options) => {
    await using page = await open(kind, { ...options, bypassCSP: true })
    await page.tab.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)
    await page.tab.addScriptTag({ path: axe })
    const { violations } = await page.tab.evaluate<{
      violations: readonly { id: string; nodes: readonly { html: string; failureSummary: string }[] }[]
    }>(`axe.run(document, { resultTypes: ['violations'] })`)
    const told = violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary])
    expect(told).toEqual([])
  })

  test('on paper keeps a chart at its heading and its words', async () => {
    await using page = await open(kind, { viewport: { width: 688, height: 900 } })
    await page.tab.emulateMedia({ media: 'print' })
    const apart = await page.tab.evaluate<
      readonly string[]
    >(`[...document.querySelectorAll('figure.chart')].flatMap((chart) => {
      const whole = chart.closest('.whole')
      const isKept = whole !== null && getComputedStyle(whole).breakInside === 'avoid' && whole.querySelector('p') !== null
      return isKept ? [] : [chart.querySelector('svg').getAttribute('aria-label')]
    })`)
    expect(apart).toEqual([])
    const headings = await page.tab.evaluate<readonly string[]>(
      `[...new Set([...document.querySelectorAll('h2, h3, .note')].map((one) => getComputedStyle(one).breakAfter))]`,
    )
    expect(headings).toEqual(['avoid'])
    const heads = await page.tab.evaluate<number>(`document.querySelectorAll('#pace > h3').length`)
    expect(heads).toBe(0)
  })

  test('on paper shows every figure, light and without what is for a mouse', async () => {
    await using page = await open(kind, { viewport: { width: 688, height: 900 }, colorScheme: 'dark' })
    await page.tab.emulateMedia({ media: 'print' })
    const shown = await page.tab.evaluate<{ hidden: number; background: string; controls: number }>(`({
      hidden: [...document.querySelectorAll('table td, table th')].filter((cell) => cell.textContent.trim() !== '' && cell.getBoundingClientRect().height === 0).length,
      background: getComputedStyle(document.body).backgroundColor,
      controls: [...document.querySelectorAll('.search, summary, nav')].filter((one) => one.getBoundingClientRect().height > 0).length,
    })`)
    expect(shown).toEqual({ hidden: 0, background: 'rgb(255, 255, 255)', controls: 0 })
    const pdf = await page.tab.pdf({ preferCSSPageSize: true })
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
    expect(/\/MediaBox \[0 0 (\d+)(?:\.\d+)? (\d+)/.exec(pdf.toString('latin1'))?.slice(1)).toEqual([
      '594',
      '841',
    ])
    expect(page.said).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('the next events', () => {
  test('show all of their figures on a telephone', async () => {
    await using page = await open('club', { viewport: { width: 390, height: 844 }, hasTouch: true })
    const seen = await page.tab.evaluate<{ hidden: number; heads: readonly string[] }>(`(() => {
      const table = document.querySelector('#upcoming')
      const region = table.closest('.scroll')
      return {
        hidden: region.scrollWidth - region.clientWidth,
        heads: [...table.querySelectorAll('th[scope=col]')].filter((head) => head.getBoundingClientRect().right <= window.innerWidth).map((head) => head.textContent.trim()),
      }
    })()`)
    expect(seen).toEqual({ hidden: 0, heads: ['Event', 'Expected', 'Maybe', 'Thin slots', 'New in 7 days'] })
  })
})

describe.runIf(process.platform === 'linux')('the table of events', () => {
  /** Titles or other cells of the rows that are shown. */
  const cells = (tab: Page, at: number) =>
    tab.evaluate<readonly string[]>(
      `[...document.querySelectorAll('#events-table tbody tr')].filter((row) => !row.hidden).map((row) => row.cells[${at}].textContent.trim())`,
    )
  const desk = { viewport: { width: 1280, height: 900 } }

  test('is sorted and searched by the keyboard alone, and the focus is seen', async () => {
    await using page = await open('account', desk)
    const { tab } = page
    const focus = `(() => { const style = getComputedStyle(document.activeElement); return [document.activeElement.textContent || document.activeElement.type, style.outlineStyle, Number.parseFloat(style.outlineWidth) > 1].join(' ') })()`
    const reached: string[] = []
    for (let at = 0; at < 60; at++) {
      await tab.keyboard.press('Tab')
      const now = await tab.evaluate<string>(focus)
      if (now.length < 60) reached.push(now)
      if (now.startsWith('search')) break
    }
    expect(reached.at(-1)).toBe('search solid true')
    const all = await cells(tab, 0)
    expect(all).toHaveLength(2 * hostile.length + 1)
    await tab.keyboard.type('FDP.EXE')
    expect(await cells(tab, 0)).toHaveLength(2)
    expect(await tab.textContent('#events [role=status]')).toBe(`2 of ${all.length}`)
    await tab.keyboard.press('Control+A')
    await tab.keyboard.press('Delete')
    // The region that scrolls, then the heads of the columns.
    for (const expected of ['', 'Event', 'When', 'Expected']) {
      await tab.keyboard.press('Tab')
      if (expected !== '') expect(await tab.evaluate<string>(focus)).toBe(`${expected} solid true`)
    }
    await tab.keyboard.press('Enter')
    const numbers = (await cells(tab, 2)).map((text) => Number(text.replaceAll(',', '')))
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(await tab.getAttribute('#events-table th:nth-child(3)', 'aria-sort')).toBe('descending')
    await tab.keyboard.press('Space')
    expect((await cells(tab, 2)).map((text) => Number(text.replaceAll(',', '')))).toEqual(
      numbers.toSorted((a, b) => a - b),
    )
    await tab.keyboard.press('Shift+Tab')
    await tab.keyboard.press('Enter')
    const times = await tab.evaluate<readonly string[]>(
      `[...document.querySelectorAll('#events-table tbody time')].map((time) => time.dateTime)`,
    )
    expect(times).toEqual(times.toSorted())
    expect((await cells(tab, 1)).at(-1)).toBe('no time')
    expect(page.said).toEqual([])
  })

  test('is there without a script, too', async () => {
    await using page = await open('account', { ...desk, javaScriptEnabled: false })
    expect(await page.tab.locator('#events-table tbody tr').count()).toBe(2 * hostile.length + 1)
    expect(await page.tab.locator('.search').isVisible()).toBe(false)
    expect(await page.tab.locator('th button').count()).toBe(0)
  })
})
