import type { LinkFormat } from '../../../common/schema/tables.ts'
import type { ExportFormat, Format, LinkBodyFormat } from './format.ts'

/** The code of a format, and its library, is loaded when it is asked for. */
const loaders: Readonly<Record<ExportFormat, () => Promise<Format>>> = {
  csv: async () => (await import('./csv.ts')).csv,
  ndjson: async () => (await import('./ndjson.ts')).ndjson,
  xlsx: async () => (await import('./xlsx.ts')).xlsx,
  parquet: async () => (await import('./parquet.ts')).parquet,
}

/** @param safeCsv of CSV: the form without formulas */
export async function loadFormat(format: ExportFormat, safeCsv: boolean): Promise<Format> {
  return safeCsv ? (await import('./csv.ts')).safeCsv : loaders[format]()
}

const linkLoaders: Readonly<Record<LinkFormat, () => Promise<LinkBodyFormat>>> = {
  csv: async () => (await import('./spreadsheet-csv.ts')).spreadsheetCsv,
  html: async () => (await import('./html.ts')).html,
  ics: async () => (await import('../calendar/calendar.ts')).calendar,
  json: async () => (await import('./json.ts')).json,
}

export async function loadLinkFormat(format: LinkFormat): Promise<LinkBodyFormat> {
  return linkLoaders[format]()
}
