import type { ExportFormat, Format } from './format.ts'

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
