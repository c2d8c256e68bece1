/** What a report shows: its own markup, read as text. */

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The text of a piece of markup. */
export function textOf(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The rows of a table, without its heads. */
export function tableOf(page: string, id: string): readonly (readonly string[])[] {
  const [, body] = new RegExp(`<table id="${id}"[^]*?<tbody>([^]*?)</tbody>`).exec(page) ?? []
  if (body === undefined) throw new Error(`the page has no table ${id}`)
  return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell = '']) => textOf(cell)),
  )
}

/** The figures at the top, by what they are. */
export function keyFiguresOf(page: string): ReadonlyMap<string, string> {
  return new Map(
    [...page.matchAll(/<dt>([^]*?)<\/dt>\s*<dd>([^]*?)<\/dd>/g)].map(([, label = '', value = '']) => [
      textOf(label),
      numberIn(textOf(value)),
    ]),
  )
}

/** The heading of each part of the changes, with its number. */
export function headingsOf(page: string): readonly string[] {
  return [...page.matchAll(/<h3[^>]*>([^]*?)<\/h3>/g)].map(([, heading = '']) => textOf(heading))
}

/** `-1234.50` of `−1,234.50`; the text itself where it is no number. */
export function numberIn(text: string): string {
  const digits = text.replaceAll(',', '').replace('\u2212', '-')
  return /^-?\d+(\.\d+)?$/.test(digits) ? digits : text
}
