/**
 * What a user's text is sent as. The server's own grammar decides: `declare … cursor for` takes what answers rows and
 * nothing else, so the text goes behind it. The patterns here only find an `explain` or a `show` at its beginning; what
 * they do not understand goes to the server as it is, which refuses it.
 */
import { commandName } from '../../common/command-name.ts'
import { UsageError } from '../../common/errors.ts'

export type Statement = RowsStatement | ExplainStatement | ShowStatement

/** A user's text, or the rest of it, and where in the text it begins (in UTF-16 code units, as strings count). */
interface StatementText {
  readonly whole: string
  readonly start: number
}

export interface RowsStatement extends StatementText {
  readonly kind: 'rows'
}

export interface ExplainStatement extends StatementText {
  readonly kind: 'explain'
  /** As they were given, inside of the parentheses. */
  readonly options: string
}

export interface ShowStatement {
  readonly kind: 'show'
  readonly name: string
}

export const ACCEPTED_STATEMENTS = 'query takes one select, with, values, table, explain or show'

/** Blanks and comments, as Postgres has them. A comment within a comment is left to the server. */
const blank = String.raw`(?:[ \t\n\r\f\v]|--[^\n\r]*(?:[\n\r]|$)|/\*(?:[^*/]|\*(?!/)|/(?!\*))*\*/)`
const leading = new RegExp(`^${blank}*`)

const optionName =
  '(?:analy[sz]e|verbose|costs|settings|generic_plan|buffers|serialize|wal|timing|summary|memory|format)'
const optionValue = '(?:true|false|on|off|0|1|text|xml|json|yaml|none|binary)'
const option = `${optionName}(?:${blank}+${optionValue})?`
const explainWithOptions = new RegExp(
  `^explain${blank}*\\(${blank}*(${option}(?:${blank}*,${blank}*${option})*)${blank}*\\)`,
  'i',
)
/** What follows is no part of the word: a blank, a comment, or the parenthesis of a select. */
const end = String.raw`(?=[ \t\n\r\f\v(/-])`
const plainExplain = new RegExp(`^explain(?:${blank}+(analy[sz]e))?(?:${blank}+(verbose))?${end}`, 'i')

const settingName = String.raw`[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)*`
const showSetting = new RegExp(
  `^show${blank}+(${settingName}|time${blank}+zone|transaction${blank}+isolation${blank}+level|session${blank}+authorization)${blank}*;?${blank}*$`,
  'i',
)

/** @throws UsageError when the text cannot be a statement, which the server would say less well */
export function parseStatement(whole: string): Statement {
  if (whole.includes('\0')) {
    throw new UsageError('query: the statement has a character U+0000 in it, which no SQL may have')
  }
  const start = leading.exec(whole)?.[0].length ?? 0
  const text = whole.slice(start)
  if (text === '') throw new UsageError('query: the statement is empty; try "select * from events limit 5"')
  if (text.startsWith('\\')) {
    throw new UsageError(
      `query: \\ begins a command of psql, which is no SQL; ${ACCEPTED_STATEMENTS}. Tables: ${commandName()} tables`,
    )
  }
  const show = showSetting.exec(text)?.[1]
  if (show !== undefined) return { kind: 'show', name: show }
  const explain = explainWithOptions.exec(text) ?? plainExplain.exec(text)
  if (explain === null) return { kind: 'rows', whole, start }
  const [prefix, ...options] = explain
  const given = options.filter((name) => name !== undefined).join(', ')
  return { kind: 'explain', whole, start: start + prefix.length, options: given }
}

/** Whether an error at this place (counted in characters from 1, as Postgres does) is at the very beginning of the text. */
export function isAtStart({ whole, start }: StatementText, position: number): boolean {
  const text = whole.slice(start)
  const before = whole.slice(0, start + (leading.exec(text)?.[0].length ?? 0))
  return position === codePoints(before).length + 1
}

/** As Postgres counts them, not in UTF-16 code units. */
export function codePoints(text: string): readonly string[] {
  return Array.from(text)
}
