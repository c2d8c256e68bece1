/** A word of numeric holds four decimal digits. */
const DIGITS_PER_WORD = 4
const NEGATIVE = 0x4000

/**
 * Writes a decimal number in the binary form of `numeric`: how many words of four digits, the weight of the first,
 * the sign, how many digits stand behind the point, then the words. Zeros at either end are left out of the words;
 * those behind the point are remembered by their number, so that 12.50 stays 12.50.
 *
 * @param write takes the next 16 bits
 */
export function writeNumeric(text: string, write: (word: number) => void): void {
  const { isNegative, digits, point, scale } = read(text)
  // The first word begins where the distance to the point is a multiple of four.
  const ahead = mod(-point, DIGITS_PER_WORD)
  const words: number[] = []
  for (let start = -ahead; start < digits.length; start += DIGITS_PER_WORD) {
    let word = 0
    for (let place = start; place < start + DIGITS_PER_WORD; place += 1) {
      const digit = place >= 0 && place < digits.length ? digits.charCodeAt(place) - 48 : 0
      word = word * 10 + digit
    }
    words.push(word)
  }
  let weight = (point + ahead) / DIGITS_PER_WORD - 1
  let [first, end] = [0, words.length]
  while (end > first && words[end - 1] === 0) end -= 1
  while (first < end && words[first] === 0) {
    first += 1
    weight -= 1
  }
  const isZero = first === end
  write(end - first)
  write(isZero ? 0 : weight)
  write(isNegative && !isZero ? NEGATIVE : 0)
  write(scale)
  for (let place = first; place < end; place += 1) write(words[place] ?? 0)
}

interface Decimal {
  readonly isNegative: boolean
  /** All digits without the point. */
  readonly digits: string
  /** How many of them stand before the point; may lie outside of them. */
  readonly point: number
  /** How many digits are shown behind the point. */
  readonly scale: number
}

function read(text: string): Decimal {
  const isNegative = text.startsWith('-')
  const power = text.search(/e/i)
  const exponent = power === -1 ? 0 : Number(text.slice(power + 1))
  const mantissa = text.slice(isNegative ? 1 : 0, power === -1 ? text.length : power)
  const dot = mantissa.indexOf('.')
  const whole = dot === -1 ? mantissa : mantissa.slice(0, dot)
  const fraction = dot === -1 ? '' : mantissa.slice(dot + 1)
  return {
    isNegative,
    digits: whole + fraction,
    point: whole.length + exponent,
    scale: Math.max(0, fraction.length - exponent),
  }
}

function mod(value: number, by: number): number {
  return ((value % by) + by) % by
}
