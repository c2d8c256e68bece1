/** Where two plain values differ first, in words short enough to read. */

const LONGEST = 300

/** Null when they are the same. */
export function difference(actual: unknown, expected: unknown, path = ''): string | null {
  if (isBranch(actual) && isBranch(expected)) {
    const keys = new Set([...Object.keys(actual), ...Object.keys(expected)])
    for (const key of keys) {
      const found = difference(actual[key], expected[key], `${path}/${nameOf(actual, expected, key)}`)
      if (found !== null) return found
    }
    return null
  }
  if (Object.is(actual, expected)) return null
  return `${path === '' ? '' : `at ${path}: `}is ${shown(actual)}, should be ${shown(expected)}`
}

type Branch = Readonly<Record<string, unknown>>

function isBranch(value: unknown): value is Branch {
  return typeof value === 'object' && value !== null
}

/** Pairs of key and value are told by their key. */
function nameOf(actual: Branch, expected: Branch, place: string): string {
  const pair = expected[place] ?? actual[place]
  return Array.isArray(pair) && pair.length === 2 && typeof pair[0] === 'string'
    ? `${place} (${pair[0]})`
    : place
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}
