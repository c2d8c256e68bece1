/** A real browser: one from npm, which is there for Linux only. */
import chromium from '@sparticuz/chromium'
import { chromium as launcher, type Browser, type BrowserContextOptions } from 'playwright-core'

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
