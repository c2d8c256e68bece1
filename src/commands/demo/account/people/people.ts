import { nameStocks, type NameStock } from './names.ts'
import { phrases, type Language } from './phrases.ts'
import type { Random } from '../random.ts'

export interface Person {
  readonly name: string
  readonly email: string
  readonly language: Language
}

/** Where the people live decides which languages one meets: every house has all of them, in other shares. */
export type Place = 'berlin' | 'brooklyn' | 'kolkata'

const shares: Record<Place, Partial<Record<Language, number>>> = {
  berlin: { german: 9, polish: 4, turkish: 4, ukrainian: 4, greek: 3, arabic: 3, russian: 2, english: 2 },
  brooklyn: { english: 8, spanish: 5, chinese: 4, korean: 4, hebrew: 4, arabic: 2, greek: 1, russian: 1 },
  kolkata: { hindi: 9, english: 5, japanese: 3, chinese: 2, spanish: 1, german: 1 },
}

/** Mail domains that belong to nobody (RFC 2606). */
const domains = ['example.org', 'example.com', 'example.net', 'mail.example', 'post.example']

/** `count` people of a place; no two share an e-mail address. */
export function generatePeople(place: Place, count: number, random: Random): Person[] {
  const stocks = nameStocks.map((stock) => [stock, shares[place][stock.language] ?? 0.3] as const)
  const taken = new Set<string>()
  return Array.from({ length: count }, () => meetPerson(random.weighted(stocks), taken, random))
}

function meetPerson(stock: NameStock, taken: Set<string>, random: Random): Person {
  const [given, givenLatin] = spellings(random.pick(stock.given))
  const [family, familyLatin] = spellings(random.pick(stock.family))
  const domain = random.pick(domains)
  let email = `${givenLatin}.${familyLatin}@${domain}`
  for (let number = 2; taken.has(email); number++) email = `${givenLatin}.${familyLatin}${number}@${domain}`
  taken.add(email)
  const name = fullName(stock, given, family)
  return {
    name: random.chance(0.02) ? `${name} ${random.pick(['🌻', '🎶', '⚽', '🚲'])}` : name,
    email,
    language: stock.language,
  }
}

function fullName(stock: NameStock, given: string, family: string): string {
  if (stock.order === 'familygiven') return family + given
  return stock.order === 'family given' ? `${family} ${given}` : `${given} ${family}`
}

/** `native=latin`, or a Latin name whose plain form is found by taking the marks off its letters. */
function spellings(entry: string): [native: string, latin: string] {
  const [native = entry, latin = native] = entry.split('=')
  const plain = latin
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replaceAll(/[^a-z]/g, '')
  return [native, plain]
}

/** Most people write nothing. */
export function messageOf(person: Person, random: Random): string {
  return random.chance(0.45) ? random.pick(phrases[person.language]) : ''
}
