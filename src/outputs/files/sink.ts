import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { toError } from '../../common/abort.ts'
import { errorCode } from '../../common/error-code.ts'
import { OutputError } from '../../common/errors.ts'
import { hasReaderLeft, ReaderLeft } from './reader-left.ts'

/** Where the bytes of one export go. */
export interface Sink {
  /** @throws OutputError */
  readonly write: (part: Uint8Array) => Promise<void>
}

/** A sink that knows what went into it. */
export interface CountedSink extends Sink {
  readonly bytes: () => number
  /** Of all bytes, in hexadecimal digits. May be called once. */
  readonly sha256: () => string
}

export function counted(sink: Sink, onBytes: (bytes: number) => void): CountedSink {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    write: async (part) => {
      hash.update(part)
      bytes += part.byteLength
      await sink.write(part)
      onBytes(bytes)
    },
    bytes: () => bytes,
    sha256: () => hash.digest('hex'),
  }
}

/** A stream that stays open at the end, as stdout does. Its sink throws ReaderLeft when nobody reads it any more. */
export function streamSink(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }): Sink {
  let failure: unknown = null
  stream.on('error', (error) => {
    failure ??= error
  })
  return {
    write: async (part) => {
      if (failure === null && !stream.write(part)) await once(stream, 'drain').catch(() => undefined)
      if (failure === null) return
      throw hasReaderLeft(failure, stream) ? new ReaderLeft() : outputError('The output', failure)
    },
  }
}

const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'Free space there, or write to another disk',
  EDQUOT: 'Free space of your quota there, or write to another disk',
  EFBIG: 'Raise the largest size of a file (ulimit -f), or ask for less',
}

/** @param place a path, or what stands for it */
export function outputError(place: string, error: unknown): OutputError {
  const reason = toError(error).message
  const remedy = remedies[errorCode(error) ?? '']
  const message = `${place} could not be written: ${reason}${remedy === undefined ? '' : `. ${remedy}.`}`
  return new OutputError(message, { cause: error })
}
