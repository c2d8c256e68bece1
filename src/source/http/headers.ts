/** Headers of a response, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** The value of a header; the values of a repeated header are joined with commas, as HTTP allows for lists. */
export function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name]
  if (value === undefined) return null
  return Array.isArray(value) ? value.join(', ') : value
}
