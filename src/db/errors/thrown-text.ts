/** What was thrown that is no Error, for messages: the file system of PGlite throws an object with the number of an error. */
export function thrownText(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown)
  const parts = ['name', 'code', 'errno', 'message'].map((name): unknown => Reflect.get(thrown, name))
  const shown = parts.filter((part) => typeof part === 'number' || (typeof part === 'string' && part !== ''))
  return shown.length === 0 ? 'an error without a message' : shown.join(' ')
}
