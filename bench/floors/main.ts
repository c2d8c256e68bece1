/** A floor as a process of its own: `main.js <floor> <base address> [<database> or <file>]`; prints what it read. */
import type { Read } from './download.ts'

/** Each loads what it needs, so that the others do not weigh on its memory. */
const floors = {
  download: async (base) => (await import('./download.ts')).download(base),
  parse: async (base) => (await import('./download.ts')).downloadAndParse(base),
  notModified: async (base, file) => (await import('./not-modified.ts')).notModified(base, file),
  copy: async (base, url) =>
    url.startsWith('pglite:')
      ? (await import('./copy-embedded.ts')).copyIntoEmbedded(base, url.slice('pglite:'.length))
      : (await import('./copy-postgres.ts')).copyIntoPostgres(base, url),
  viewCount: async (_, url) => readWith(url, ({ count }) => count),
  eventSummary: async (_, url) => readWith(url, () => 'select * from headcount.event_summary'),
  paymentSummary: async (_, url) => readWith(url, () => 'select * from headcount.payment_summary'),
  reportViews: async (_, url) => {
    const reading = await import('./read-view.ts')
    return reading.readAllOf(url, reading.reportViews)
  },
  copyOut: async (_, url) => (await import('./copy-out.ts')).copyOut(url),
  slotSummary: async (_, url) => readWith(url, () => 'select * from headcount.slot_summary'),
} satisfies Record<string, (base: string, operand: string) => Promise<Read>>
type Reading = typeof import('./read-view.ts')

async function readWith(url: string, queryOf: (reading: Reading) => string): Promise<Read> {
  const reading = await import('./read-view.ts')
  return reading.readAll(url, queryOf(reading))
}

export type FloorName = keyof typeof floors

const [, , name = '', base = '', operand = ''] = process.argv
if (!Object.hasOwn(floors, name)) throw new Error(`There is no floor "${name}".`)
process.stdout.write(JSON.stringify(await floors[name as FloorName](base, operand)))
