/** Chance from a seed: the same seed gives the same numbers for ever, on every machine. */

export interface Chance {
  /** From 0 to below 1. */
  next(): number
  /** A whole number, both bounds included. */
  int(least: number, most: number): number
  /** Whether something of this probability happens. */
  odds(probability: number): boolean
  pick<T>(of: readonly T[]): T
  /** One of the keys, as often as their weights say. */
  weigh<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K
  shuffle<T>(items: readonly T[]): T[]
  /** A seed for chance of its own: what draws from it does not move what comes after. */
  seed(): number
}

/** Mulberry32: 32 bits of state are plenty for some thousand draws. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let bits = Math.imul(state ^ (state >>> 15), state | 1)
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61)
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  const chance: Chance = {
    next,
    int,
    odds: (probability) => next() < probability,
    pick: (of) => {
      const picked = of[int(0, of.length - 1)]
      if (picked === undefined) throw new RangeError('nothing to pick from')
      return picked
    },
    weigh: <K extends string>(weights: Readonly<Partial<Record<K, number>>>): K => {
      const entries = Object.entries(weights) as [K, number][]
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [key, weight] of entries) {
        left -= weight
        if (left < 0) return key
      }
      throw new RangeError('no weights')
    },
    shuffle: (items) => {
      const keyed = items.map((item) => ({ item, key: next() }))
      return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item)
    },
    seed: () => int(0, 2 ** 31 - 1),
  }
  return chance
}
