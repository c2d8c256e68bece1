import type { Output } from './terminal.ts'

const REDRAWN_EVERY_MS = 500
const clearLine = '\r\u001B[2K'

/** Shows on a terminal one line about a wait, drawn again as the seconds pass; elsewhere nothing. The line goes away when it is disposed of. */
export function showSeconds(err: Output, line: (seconds: number) => string): Disposable {
  if (!err.isTerminal) return new DisposableStack()
  const begun = performance.now()
  const draw = () => {
    const text = line(Math.floor((performance.now() - begun) / 1000))
    void err.write(clearLine + text.slice(0, (err.width ?? 80) - 1))
  }
  draw()
  const drawing = setInterval(draw, REDRAWN_EVERY_MS)
  return {
    [Symbol.dispose]: () => {
      clearInterval(drawing)
      void err.write(clearLine)
    },
  }
}
