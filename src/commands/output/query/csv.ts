import { stringify } from 'csv-stringify/sync'
import type { QueryResult } from '../../../db/transaction.ts'
import { inertText } from '../../../common/text/formula.ts'
import { stripControlChars } from '../../../common/text/strip-control-chars.ts'
import type { QueryResultWriter, ResultOptions } from './writer.ts'
import { inZone, isTimestampType, isNumericType, textOf } from './values.ts'

/** By one of these some spreadsheet begins a cell: what stands behind it is then not in the midst of a text. */
const SEPARATES_CELLS = /[\r\n\t;]/
type CsvOptions = Pick<ResultOptions, 'out' | 'header' | 'safeCsv' | 'timeZone'>

type Cell = string | null
type ToCells = (row: readonly unknown[]) => readonly Cell[]

/** CSV as RFC 4180 has it, but with a line feed alone at the end of a record. NULL is an empty field, '' is `""`. */
export function csvWriter(options: CsvOptions): QueryResultWriter {
  return recordWriter(options, {
    toCells: ({ columns }) => {
      const changes = columns.map(({ type }) => {
        const local = inZone(type, options.timeZone)
        // guard: formulas
        if (!options.safeCsv || isNumericType(type)) return local
        return (text: string) => inertText(local?.(text) ?? text)
      })
      return (row) => row.map((value, at) => textOf(value, changes[at]))
    },
    stringify: (cells) =>
      stringify([...cells], { quoted_match: options.safeCsv ? [/^$/, SEPARATES_CELLS] : /^$/ }),
  })
}

/**
 * CSV as a spreadsheet of a language opens it with a double click: a byte order mark, the separator and the decimal comma
 * of the language, times on the local clock without a zone, and no text that runs as a formula.
 */
export function excelWriter(options: CsvOptions, language: string): QueryResultWriter {
  const decimal = new Intl.NumberFormat(language).format(0.5)[1]
  const zone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
  return recordWriter(options, {
    mark: '\ufeff',
    toCells: ({ columns }) => {
      const changes = columns.map(({ type }) => {
        if (isNumericType(type)) return (text: string) => text.replace('.', decimal === ',' ? ',' : '.')
        const local = inZone(type, zone)
        // Of what is no time, -infinity would run as a formula.
        if (isTimestampType(type)) return (text: string) => inertText(wallClock(local?.(text) ?? text))
        return inertText
      })
      return (row) =>
        row.map((value, at) => {
          const text = textOf(value)
          return text === null ? null : (changes[at]?.(text) ?? text)
        })
    },
    stringify: (cells) =>
      stringify([...cells], {
        delimiter: decimal === ',' ? ';' : ',',
        record_delimiter: 'windows',
        quoted_match: SEPARATES_CELLS,
      }),
  })
}

/** A time with or without a zone, as `textOf` and `inZone` give it. */
const timeForm = /^(\d{4,}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|[+-]\d\d:\d\d(?::\d\d)?)?( BC)?$/

/** `2026-07-01 12:30:00` of `2026-07-01T12:30:00.5+02:00`, which a spreadsheet takes for a text. */
function wallClock(text: string): string {
  return text.replace(timeForm, '$1 $2$3')
}

interface RecordForm {
  /** What the file begins with. */
  readonly mark?: string
  readonly toCells: (result: QueryResult) => ToCells
  readonly stringify: (cells: readonly (readonly Cell[])[]) => string
}

function recordWriter({ out, header }: CsvOptions, form: RecordForm): QueryResultWriter {
  let toCells: ToCells | null = null
  const write = (cells: readonly (readonly Cell[])[]) => {
    const text = form.stringify(cells)
    return out.isTerminal ? stripControlChars(text) : text
  }
  return {
    part: (result) => {
      const isFirst = toCells === null
      const names = isFirst && header ? [result.columns.map(({ name }) => name)] : []
      toCells ??= form.toCells(result)
      return (isFirst ? (form.mark ?? '') : '') + write([...names, ...result.rows.map(toCells)])
    },
    end: () => '',
  }
}
