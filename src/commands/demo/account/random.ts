/**
 * Seeded randomness: the same seed gives the same sequence on every machine. `fork` gives an independent
 * sequence for a named part, so that a draw more in one place does not change all that follows.
 */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** A whole number from `least` to `most`, both inclusive. */
  integer(least: number, most: number): number
  /** True with the given probability (0 to 1). */
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** One of the choices, each as likely as its weight says. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T
  /** `count` different elements in random order (all of them when there are fewer). */
  sample<T>(choices: readonly T[], count: number): T[]
  fork(part: string): Random
}

export function createRandom(seed: string): Random {
  let state = hash(seed)

  // A Weyl sequence whose counter is mixed twice (the finaliser of MurmurHash3): 32 bits of state are plenty here.
  function next(): number {
    state = (state + 0x9e3779b9) | 0
    return mix(state) / 0x100000000
  }

  function integer(least: number, most: number): number {
    return least + Math.floor(next() * (most - least + 1))
  }

  function pick<T>(choices: readonly T[]): T {
    const choice = choices[integer(0, choices.length - 1)]
    if (choice === undefined) throw new RangeError('nothing to pick from: the list is empty')
    return choice
  }

  function weighted<T>(choices: readonly (readonly [T, number])[]): T {
    let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [choice, weight] of choices) {
      left -= weight
      if (left < 0) return choice
    }
    return pick(choices)[0]
  }

  function sample<T>(choices: readonly T[], count: number): T[] {
    const rest = [...choices]
    const taken: T[] = []
    while (taken.length < count && rest.length > 0) taken.push(...rest.splice(integer(0, rest.length - 1), 1))
    return taken
  }

  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick,
    weighted,
    sample,
    fork: (part) => createRandom(`${seed}/${part}`),
  }
}

/** FNV-1a over the code units of the text, then mixed, for neighbouring seeds should not give neighbouring states. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  return mix(value)
}

function mix(value: number): number {
  let mixed = value ^ (value >>> 16)
  mixed = Math.imul(mixed, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
