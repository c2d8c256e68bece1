import { closeSync, openSync, writeSync } from 'node:fs'

/** A file that becomes one JSON array, written piece by piece. */
export interface ListFile {
  /** Appends items, each given as JSON. */
  write(items: readonly string[]): void
  /** Ends the list and returns its bytes. */
  end(): number
}

export function openList(path: string): ListFile {
  const file = openSync(path, 'w')
  let bytes = 0
  let before = '['
  const write = (text: string): void => {
    const piece = Buffer.from(text)
    for (let written = 0; written < piece.length;) written += writeSync(file, piece, written)
    bytes += piece.length
  }
  return {
    write: (items) => {
      if (items.length === 0) return
      write(before + items.join(','))
      before = ','
    },
    end: () => {
      write(before === '[' ? '[]' : ']')
      closeSync(file)
      return bytes
    },
  }
}
