/**
 * Reads Postgres's text form of an array, like `{1,NULL,"a,\"b"}` or `{{1,2},{3,4}}`.
 *
 * An explicit lower bound (`[0:1]={…}`) is dropped. All types read here separate elements by a comma.
 *
 * @see https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function readArray(text: string, read: (element: string) => unknown): unknown[] {
  const root: unknown[] = []
  const open = [root]
  const token = /[{}]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs
  token.lastIndex = text.startsWith('[') ? text.indexOf('=') + 1 : 0
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [whole, quoted] = match
    const current = open.at(-1)
    if (whole === '{') {
      const nested: unknown[] = []
      current?.push(nested)
      open.push(nested)
    } else if (whole === '}') {
      open.pop()
    } else if (quoted !== undefined) {
      current?.push(read(quoted.replaceAll(/\\(.)/gs, '$1')))
    } else {
      current?.push(whole === 'NULL' ? null : read(whole))
    }
  }
  const [array] = root
  return Array.isArray(array) ? array : []
}
