import type { QueryResult } from '../../../db/transaction.ts'
import { displayWidth } from '../../../common/text/display-width.ts'
import { stripControlCharsInLine } from '../../../common/text/strip-control-chars.ts'
import type { Output } from '../../terminal/terminal.ts'
import { formatCount, formatNumber } from '../../../common/text/number.ts'
import { drawRecord, right, tableWriter, tableWidth } from '../format/table.ts'
import type { QueryResultWriter, ResultOptions } from './writer.ts'
import { inZone, isNumericType, textOf } from './values.ts'

/** The first rows decide how wide the columns are; few answers have more. */
const SAMPLE = 1000

/** What stands for NULL: nothing that a text looks like by chance. */
const NULL_SIGN = '∅'

type TableOptions = Pick<ResultOptions, 'out' | 'header' | 'timeZone'>
type WriteRows = (rows: readonly (readonly string[])[]) => string

/** A table; on a terminal that its rows do not fit, one field a line, as psql's `\x auto` does. No cell is cut. */
export function tableWriterOf(options: TableOptions): QueryResultWriter {
  let columns: QueryResult['columns'] | null = null
  let toCells: ((row: readonly unknown[]) => string[]) | null = null
  let write: WriteRows | null = null
  let kept: string[][] = []
  let count = 0
  const release = () => {
    write ??= rowWriter(columns ?? [], kept, options)
    const text = write(kept)
    kept = []
    return text
  }
  return {
    part: (result) => {
      columns ??= result.columns
      toCells ??= cellsOf(result.columns, options.timeZone)
      count += result.rows.length
      for (const row of result.rows) kept.push(toCells(row))
      return write === null && kept.length < SAMPLE ? '' : release()
    },
    end: () => `${write === null ? release() : ''}(${formatCount(count, 'row')})\n`,
  }
}

function cellsOf(columns: QueryResult['columns'], timeZone: string | null) {
  const changes = columns.map(({ type }) => inZone(type, timeZone))
  return (row: readonly unknown[]) =>
    row.map((value, at) => {
      const text = textOf(value, changes[at])
      return text === null ? NULL_SIGN : stripControlCharsInLine(text)
    })
}

function rowWriter(
  columns: QueryResult['columns'],
  sample: readonly (readonly string[])[],
  { out, header }: TableOptions,
): WriteRows {
  const names = columns.map(({ name }) => stripControlCharsInLine(name))
  if (out.width !== null && tableWidth(names, sample) > out.width) return recordWriter(names, out.width, out)
  const shown = columns.map(({ type }, at) =>
    isNumericType(type) ? right(names[at] ?? '') : (names[at] ?? ''),
  )
  return tableWriter(shown, { width: null, header, styleHeading: (text) => out.style('bold', text) })
}

function recordWriter(names: readonly string[], width: number, out: Pick<Output, 'style'>): WriteRows {
  const widest = Math.max(...names.map((name) => displayWidth(name)))
  let count = 0
  return (rows) =>
    rows
      .map((cells) => {
        count += 1
        const rule = `── row ${formatNumber(count)} `
        const head = out.style('dim', rule.padEnd(Math.min(width, widest + 40), '─'))
        return `${head}\n${drawRecord(names, cells, { width, styleName: (name) => out.style('bold', name) })}`
      })
      .join('')
}
