import type { WriteStream } from 'node:tty'
import { styleText } from 'node:util'
import { noColour } from '../../config/config.ts'
import { stripControlChars } from '../../common/text/strip-control-chars.ts'
import { hasReaderLeft } from '../../outputs/files/reader-left.ts'
import { outputError } from '../../outputs/files/sink.ts'

/** The two outputs: data on stdout, everything for people on stderr. */
export interface Terminal {
  readonly out: Output
  readonly err: Output
  /** From now on this text is redacted on stderr. */
  redact(secret: string): void
}

export interface Output {
  readonly isTerminal: boolean
  /** Columns of the terminal; null when it is none. */
  readonly width: number | null
  /** Lines of the terminal; null when it is none, or does not say. */
  readonly height: number | null
  /**
   * Resolves when the text is out, or when the reader has gone. What is written after a text that is still being made waits
   * for it. @throws OutputError when it could not be written
   */
  write(text: string | Promise<string>): Promise<void>
  style(format: Style, text: string): string
  /** The stream itself, for a library that draws on it. */
  readonly stream: NodeJS.WritableStream
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Shorter ones stand in ordinary text by chance. */
const MIN_SECRET_LENGTH = 6

export function openTerminal(stdout: Stream, stderr: Stream): Terminal {
  const secrets = new Set<string>()
  /** The longest first, for one may be a part of another; null: some were added. */
  let sorted: readonly string[] | null = []
  const redacted = (text: string) => {
    let shown = text
    sorted ??= [...secrets].sort((a, b) => b.length - a.length)
    for (const secret of sorted) shown = shown.replaceAll(secret, '\0')
    return shown.replaceAll('\0', '[secret]')
  }
  return {
    out: openOutput(stdout, (text) => text),
    err: openOutput(stderr, redacted, true),
    redact: (secret) => {
      if (secret.length < MIN_SECRET_LENGTH || secrets.has(secret)) return
      secrets.add(secret)
      sorted = null
    },
  }
}

/** A stream of the process; Node's types call it a terminal even when it is a pipe. */
type Stream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows' | 'hasColors'>>

/** `mayFail`: an error of this stream is ignored, for nobody reads it; the exit code remains. */
function openOutput(stream: Stream, transform: (text: string) => string, mayFail = false): Output {
  let failure: Error | null = null
  stream.on('error', (error) => {
    failure = error
  })
  const colours = hasColours(stream)
  // The work goes on to its end when its reader has gone.
  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const finish = (error?: Error | null) => {
        if (error && !mayFail && !hasReaderLeft(error, stream)) reject(outputError('The output', error))
        else resolve()
      }
      if (failure === null) stream.write(transform(text), finish)
      else finish(failure)
    })
  /** The last text that is still being made, or waits for one. */
  let last: Promise<void> | null = null
  return {
    stream,
    isTerminal: stream.isTTY ?? false,
    get width() {
      return stream.isTTY ? stream.columns || 80 : null
    },
    get height() {
      return (stream.isTTY && stream.rows) || null
    },
    write: (text) => {
      if (last === null && typeof text === 'string') return send(text)
      const turn = Promise.allSettled([last]).then(async () => send(await text))
      last = turn
      const forget = () => {
        if (last === turn) last = null
      }
      turn.then(forget, forget)
      return turn
    },
    style: (format, text) => (colours ? styleText(format, text, { validateStream: false }) : text),
  }
}

/** Colour only on a terminal that has it, and never with NO_COLOR. */
function hasColours(stream: Stream): boolean {
  return stream.isTTY === true && !noColour() && stream.hasColors?.() === true
}

/** What the program says on stderr: one clean line, or a few. */
export function messageText(message: string): string {
  return `headcount: ${stripControlChars(message).trimEnd()}\n`
}
