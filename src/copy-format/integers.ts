/** 64-bit integers in the binary form of `int8`, without a BigInt for each. */
const TWO_TO_32 = 0x1_0000_0000
const TWO_TO_16 = 0x1_0000
/** Two halves of so many digits each are multiplied out below. */
const HALF_DIGITS = 9
const HALF = 1_000_000_000
/** A double holds every integer of so many digits. */
const SAFE_DIGITS = 15
/** Every integer of so many digits fits into 64 bits. */
export const MAX_DIGITS = 2 * HALF_DIGITS

const ZERO = 0x30
const MINUS = 0x2d

/** Writes an integer that a double holds exactly. @returns where the next byte goes */
export function writeSafeInteger(view: DataView, value: number, at: number): number {
  const high = Math.floor(value / TWO_TO_32)
  view.setInt32(at, high)
  view.setUint32(at + 4, value - high * TWO_TO_32)
  return at + 8
}

/**
 * Writes an integer that stands as digits in `bytes`.
 *
 * @param start of its sign or first digit; at most `MAX_DIGITS` digits, checked by the caller
 */
export function writeDigits(view: DataView, at: number, bytes: Uint8Array, start: number, end: number): void {
  const isNegative = bytes[start] === MINUS
  const first = isNegative ? start + 1 : start
  if (end - first <= SAFE_DIGITS) {
    const value = numberOf(bytes, first, end)
    writeSafeInteger(view, isNegative ? -value : value, at)
    return
  }
  const cut = end - HALF_DIGITS
  const upper = numberOf(bytes, first, cut)
  // upper * 10^9 + lower, in words of 32 bits, each step below 2^53.
  const upperHigh = Math.floor(upper / TWO_TO_16)
  const product = upperHigh * HALF
  const productHigh = Math.floor(product / TWO_TO_16)
  const low =
    (product - productHigh * TWO_TO_16) * TWO_TO_16 +
    (upper - upperHigh * TWO_TO_16) * HALF +
    numberOf(bytes, cut, end)
  const carry = Math.floor(low / TWO_TO_32)
  const lowWord = low - carry * TWO_TO_32
  const highWord = productHigh + carry
  if (!isNegative) {
    view.setInt32(at, highWord)
    view.setUint32(at + 4, lowWord)
    return
  }
  view.setInt32(at, lowWord === 0 ? -highWord : -highWord - 1)
  view.setUint32(at + 4, lowWord === 0 ? 0 : TWO_TO_32 - lowWord)
}

function numberOf(bytes: Uint8Array, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] ?? 0) - ZERO
  return value
}
