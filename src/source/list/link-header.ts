/** The `Link` header (RFC 8288): the relation `next`. */

export interface NextLinks {
  /** Targets with the relation `next`, as written, each once. */
  readonly targets: readonly string[]
  /** The header cannot be read to its end: a next page may hide in it. */
  readonly unreadable: boolean
}

const target = /[\s,]*<([^>]*)>/y
const parameter = /\s*;\s*([\w!#$&+\-^`|~.*]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y
const end = /\s*(?:,|$)/y

/** Reads every link of the header. Links about another page (`anchor`) are ignored. */
export function readNextLinks(header: string | null): NextLinks {
  const targets = new Set<string>()
  if (header === null) return { targets: [], unreadable: false }
  let at = 0
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  while (header.slice(at).replace(/^[\s,]+/, '') !== '') {
    const link = take(target)
    if (link === null) return { targets: [...targets], unreadable: true }
    const parameters = new Map<string, string>()
    for (let found = take(parameter); found !== null; found = take(parameter)) {
      const name = (found[1] ?? '').toLowerCase()
      const value = found[2]?.replace(/\\(.)/g, '$1') ?? found[3] ?? ''
      // The first `rel` counts, later ones are ignored (RFC 8288, section 3.3).
      if (!parameters.has(name)) parameters.set(name, value)
    }
    if (take(end) === null) return { targets: [...targets], unreadable: true }
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next') && !parameters.has('anchor')) targets.add((link[1] ?? '').trim())
  }
  return { targets: [...targets], unreadable: false }
}
