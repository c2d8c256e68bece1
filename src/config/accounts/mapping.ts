/** A mapping of an accounts file as texts with their places. */
import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { quote, type ValueForm } from '../../common/parse-values.ts'

export interface FileValue {
  readonly text: string
  /** File, line and column. */
  readonly place: string
}

/** Settings of one account, or of all, by their names. */
export interface FileMapping {
  readonly place: string
  readonly values: ReadonlyMap<string, FileValue>
  /** Names that stand there, those with a faulty value too. */
  readonly names: ReadonlySet<string>
  /** Each with its place; what is faulty is not among the values. */
  readonly faults: readonly string[]
}

/** Where nodes stand, and what aliases stand for. */
export interface Nodes {
  readonly placeOf: (node: unknown) => string
  /** The node itself, or what it is an alias of. */
  readonly resolve: (node: unknown) => unknown
}

export function readMapping(
  node: Node,
  known: ReadonlyMap<string, ValueForm>,
  { placeOf, resolve }: Nodes,
): FileMapping {
  const values = new Map<string, FileValue>()
  const names = new Set<string>()
  const faults: string[] = []
  const place = placeOf(node)
  const map = resolve(node)
  if (!isMap(map)) {
    const fault = `${place}: must be a mapping of settings, like name: ada`
    return { place, values, names: new Set(known.keys()), faults: [fault] }
  }
  for (const pair of map.items) {
    const key = keyOf(pair)
    const form = known.get(key)
    const at = placeOf(pair.key)
    // guard: settings that are none
    if (form === undefined) faults.push(`${at}: ${unknownKey(key, [...known.keys()])}`)
    else if (names.has(key)) faults.push(`${at}: ${key} stands twice: keep one of them`)
    else {
      const read = textOf(resolve(pair.value), form, resolve)
      if ('fault' in read) faults.push(`${at}: ${key} ${read.fault}`)
      else values.set(key, { text: read.text, place: at })
    }
    names.add(key)
  }
  return { place, values, names, faults }
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : ''
}

/** A value is never repeated: it may be a key. */
function unknownKey(key: string, known: readonly string[]): string {
  if (/^(api_?)?key$|token|secret|password|^person_?key$/i.test(key)) {
    const instead = /person/i.test(key) ? 'person_key_file' : 'key_file'
    return `${key} must not stand in this file: write the key into a file of its own, and name that file with ${instead}`
  }
  if (key === 'database')
    return 'database is one for all accounts: set DATABASE_URL or --database, and remove it here'
  if (key === '<<') return '<< merges nothing in YAML 1.2: put what all accounts share below defaults'
  return `${quote(key)} is no setting of an account${didYouMean(key, known)}; there are ${known.join(', ')}`
}

type Read = { readonly text: string } | { readonly fault: string }

/** The value as a variable of the environment would have it. */
function textOf(node: unknown, form: ValueForm, resolve: Nodes['resolve']): Read {
  const types = [form.type].flat()
  if (isSeq(node)) return types.includes('array') ? listOf(node.items.map(resolve), form) : wrongType(types)
  const value = isScalar(node) ? node.value : node
  if (value === null) return { fault: 'has no value: give it one, or remove the line' }
  if (typeof value === 'string')
    return types.includes('string')
      ? { text: value }
      : wrongType(types, /^(?:true|false|\d+)$/.test(value) ? 'without quotes' : undefined)
  if (typeof value === 'boolean' && types.includes('boolean')) return { text: String(value) }
  if (typeof value === 'number' && types.includes('integer')) return { text: String(value) }
  return typeof value === 'object' ? wrongType(types) : wrongType(types, 'in quotes')
}

const typeNames = {
  string: 'text',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
} as const

function wrongType(types: readonly (keyof typeof typeNames)[], how?: string): Read {
  return {
    fault: `must be ${types.map((type) => typeNames[type]).join(' or ')}${how === undefined ? '' : `: write it ${how}`}`,
  }
}

function listOf(items: readonly unknown[], { items: form }: ValueForm): Read {
  const words = items.map((item) => (isScalar(item) ? item.value : item))
  const isWord = new RegExp(form?.pattern ?? '', 'u')
  const texts = words.filter((word) => typeof word === 'string')
  if (texts.length < words.length || !texts.every((word) => isWord.test(word)))
    return { fault: 'must be a list of words, each without a comma' }
  return { text: texts.join(',') }
}
