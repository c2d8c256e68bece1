/** Finds addresses of persons inside of texts. */
/** What stands around each @ of a text. */
const AROUND_AT = /([^\s@]+)@(?=([^\s@]+))/gu
/** Before an address, and behind one: an apostrophe or a bar may be a part of it or not. */
const MAY_PRECEDE = /[^\p{L}\p{N}]/gu
const MAY_FOLLOW = /[^\p{L}\p{N}-]/gu
/** Of each side: a text without blanks may be long. */
const MAX_CUTS = 30

/**
 * The text when it names such an address; of a JSON document the string that does, so that no escape hides it; else null.
 *
 * @param isNamed asked for everything that may be an address, with what stands around it
 */
export function findNaming(text: string, isNamed: (address: string) => boolean): string | null {
  return (
    textsIn(text).find((part) => part.includes('@') && [part, ...addressesIn(part)].some(isNamed)) ?? null
  )
}

/** What may be an address inside of a text, with all that it may end before or begin behind. */
function addressesIn(text: string): readonly string[] {
  return [...text.matchAll(AROUND_AT)].flatMap(([, before = '', behind = '']) => {
    const begins = [0, ...[...before.matchAll(MAY_PRECEDE)].map(({ index }) => index + 1).slice(-MAX_CUTS)]
    const ends = [
      behind.length,
      ...[...behind.matchAll(MAY_FOLLOW)].map(({ index }) => index).slice(0, MAX_CUTS),
    ]
    return begins.flatMap((begin) => ends.map((end) => `${before.slice(begin)}@${behind.slice(0, end)}`))
  })
}

/** The strings of a JSON document, so that no escape hides an address; of any other text the text. */
function textsIn(text: string): readonly string[] {
  const found: string[] = [text]
  try {
    JSON.parse(text, (key, value: unknown) => {
      found.push(key)
      if (typeof value === 'string') found.push(value)
      return value
    })
  } catch {
    return found
  }
  return found
}
