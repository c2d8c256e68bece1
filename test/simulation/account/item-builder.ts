/** An item while it is drawn, field by field: what is sent, and what the mirror makes of it. */
import type { Chance } from './chance.ts'
import { badStamps, stampOf } from './timestamps.ts'
import type { Meant } from './items.ts'

/** How often a value is one that its column cannot hold, or that must be mended. */
const ODD = 0.02

export class Drawing {
  readonly chance: Chance
  /** JSON text by field. */
  readonly sent: [string, string][] = []
  extra: { [key: string]: Meant } | null = null
  asides = 0

  constructor(chance: Chance) {
    this.chance = chance
  }

  get text(): string {
    return `{${this.sent.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`
  }

  send(field: string, value: unknown): void {
    this.sent.push([field, JSON.stringify(value)])
  }

  /** The column stays empty, the original goes into `_extra`. */
  aside(field: string, value: Meant): null {
    this.send(field, value)
    this.asides += 1
    this.extra = { ...this.extra, [field]: value }
    return null
  }

  /** Absent or null: the same in the mirror. */
  nothing(field: string): null {
    if (this.chance.odds(0.5)) this.send(field, null)
    return null
  }

  string(field: string, words: () => string): string | null {
    const { chance } = this
    if (chance.odds(0.15)) return this.nothing(field)
    if (chance.odds(ODD)) return this.aside(field, chance.pick<Meant>([7, true, ['x'], { a: 1 }]))
    const said = words()
    if (!chance.odds(ODD)) {
      this.send(field, said)
      return said
    }
    this.send(field, `${said}\0`)
    this.asides += 1
    return `${said}\uFFFD`
  }

  stamp(field: string, year: number, zoned: boolean): { utc: string; local: string } | null {
    const { chance } = this
    if (chance.odds(0.1)) return this.nothing(field)
    if (chance.odds(ODD)) return this.aside(field, chance.pick(badStamps))
    const stamp = stampOf(chance, year, zoned)
    this.send(field, stamp.sent)
    return stamp
  }

  integer(field: string): string | null {
    const { chance } = this
    if (chance.odds(ODD)) return this.aside(field, chance.pick<Meant>([1.5, 'three', '03', true]))
    const value = chance.odds(ODD) ? '9007199254740993' : String(chance.int(-2, 12))
    this.sent.push([field, chance.odds(0.05) ? `"${value}"` : value])
    return value
  }

  amount(field: string): string | null {
    const { chance } = this
    if (chance.odds(ODD)) return this.aside(field, chance.pick<Meant>(['abc', '1,234.50', true, 'NaN', '']))
    const whole = chance.int(-5, 200)
    const value = chance.weigh({ two: 8, one: 1, three: 1, none: 1 })
    const digits = { two: '.50', one: '.5', three: '.125', none: '' }[value]
    this.sent.push([field, chance.odds(0.05) ? `${whole}${digits}` : `"${whole}${digits}"`])
    return `${whole}${digits}`
  }

  /** Fields that the specification does not name. */
  unknownFields(): void {
    const { chance } = this
    if (!chance.odds(0.1)) return
    const value = chance.pick<Meant>(['x', null, 4, 0.5, [1, null, 'y'], { deep: { er: true } }])
    const field = chance.pick(['note', 'vip', '__proto__', 'constructor', 'größe'])
    this.send(field, value)
    // An object literal would take `__proto__` for its prototype.
    this.extra = Object.fromEntries([...Object.entries(this.extra ?? {}), [field, value]])
  }
}
