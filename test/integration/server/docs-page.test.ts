/** The page at /docs, in a real browser. */
import { expect } from 'vitest'
import { createSampleAccount } from '../../../src/commands/demo/account/account.ts'
import { describePage } from '../../support/http/browser.ts'
import { serveAccount } from '../../support/http/serving.ts'

interface Seen {
  readonly headings: readonly string[]
  /** Links of the page to no place in it. */
  readonly broken: number
}

describePage<Seen>(
  'the page in a browser',
  {
    title: '%s is whole by itself, fits, and can be read',
    open: async (opened) => {
      const account = createSampleAccount({ seed: 1, now: new Date('2026-06-17T10:00:00Z') })
      const { url } = opened.use(await serveAccount(account, 'any'))
      return new URL('/docs', url).href
    },
    look: `
      headings: [...document.querySelectorAll('h2')].map((heading) => heading.textContent.trim()),
      broken: [...document.querySelectorAll('a[href^="#"]')].filter(
        ({ hash }) => document.getElementById(decodeURIComponent(hash.slice(1))) === null).length`,
  },
  ({ headings, broken }) => {
    expect(broken).toBe(0)
    expect(headings.join(' ')).toContain('/api/v1/events/{event_id}/responses')
  },
)
