/** The words of a text that spaces part, one by one: a million of them at once would take ten times the text. */
export function* words(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    const space = text.indexOf(' ', start)
    const end = space === -1 ? text.length : space
    yield text.slice(start, end)
    start = end + 1
  }
}
