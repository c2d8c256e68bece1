import type { Output } from '../../terminal/terminal.ts'
import { jsonText, writeJson } from '../../output/format/json.ts'
import type { AccountResult } from './account-result.ts'

export type ResultFormat = 'json' | 'ndjson'

export interface ResultFlags {
  readonly json?: true
  readonly format?: string
}

/** null: for people. */
export function resultFormat({ json, format }: ResultFlags): ResultFormat | null {
  if (format === 'ndjson') return format
  return json ? 'json' : null
}

/** The document of a command for one account. */
export function writeDocument(out: Output, document: object, format: ResultFormat): Promise<void> {
  return format === 'json' ? writeJson(out, document) : out.write(`${jsonText(document, false)}\n`)
}

/** Writes results as they come, so that none is kept. */
export interface ResultWriter {
  /** @param document what the command tells of this account alone */
  write(result: AccountResult, document: object | null): Promise<void>
  end(): Promise<void>
}

/** One document `{"accounts":[…]}`, or one line for each account. */
export function openResults(out: Output, format: ResultFormat | null): ResultWriter {
  if (format === null) return { write: async () => {}, end: async () => {} }
  if (format === 'ndjson')
    return {
      write: (result, document) => out.write(`${jsonText({ ...result, ...document }, false)}\n`),
      end: async () => {},
    }
  let count = 0
  const next = (content: string) => out.write(`${count++ === 0 ? '{"accounts":[' : ','}${content}`)
  return {
    write: (result, document) => next(`\n${jsonText({ ...result, ...document }, out.isTerminal)}`),
    end: () => out.write(count === 0 ? '{"accounts":[]}\n' : '\n]}\n'),
  }
}
