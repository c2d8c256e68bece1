/** Order of Postgres' collation "C": by the bytes of UTF-8, which is by code points and not by the units of a text. */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return codePointRank(left) - codePointRank(right)
  }
  return a.length - b.length
}

/** Halves of surrogate pairs stand for code points above all others, yet their units lie below U+E000. */
function codePointRank(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit < 0xe000
  return isSurrogate ? unit + 0x10000 : unit
}
