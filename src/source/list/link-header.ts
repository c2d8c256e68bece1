/** The `Link` header (RFC 8288): the relation `next`. */

export interface NextLinks {
  /** Targets with the relation `next`, as written, each once. */
  readonly targets: readonly string[]
  /** The header cannot be read to its end: a next page may hide in it. */
  readonly unreadable: boolean
}

const target = /[\s,]*<([^>]*)>/y
/** May be empty, between two semicolons or behind the last one (RFC 8288, appendix B.3). */
const parameter =
  /\s*;\s*(?:([\w!#$&+\-^`|~.*]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|"((?:[^"\\]|\\.)*)$|([^\s;,"]*)))?)?/y
const end = /\s*(?:,|$)/y

/**
 * Reads every link of the header. Links about another page (`anchor`) are ignored.
 *
 * A link counts although what follows cannot be read: its page is read, and a header that is unreadable lets nothing be
 * deleted.
 */
export function readNextLinks(header: string | null): NextLinks {
  const targets = new Set<string>()
  if (header === null) return { targets: [], unreadable: false }
  let at = 0
  let unreadable = false
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at
    const match = pattern.exec(header)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  while (!unreadable && header.slice(at).replace(/^[\s,]+/, '') !== '') {
    const link = take(target)
    if (link === null) return { targets: [...targets], unreadable: true }
    const parameters = new Map<string, string>()
    for (let found = take(parameter); found !== null; found = take(parameter)) {
      const [, name, quoted, unclosed, token] = found
      unreadable ||= unclosed !== undefined
      if (name === undefined) continue
      const value = (quoted ?? unclosed)?.replace(/\\(.)/g, '$1') ?? token ?? ''
      // The first `rel` counts, later ones are ignored (RFC 8288, section 3.3).
      if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value)
    }
    unreadable ||= take(end) === null
    const relations = (parameters.get('rel') ?? '').toLowerCase().split(/\s+/)
    if (relations.includes('next') && !parameters.has('anchor')) targets.add((link[1] ?? '').trim())
  }
  return { targets: [...targets], unreadable }
}
