/** Fields of responses that are never stored, or only as pseudonyms: what the owner of a mirror sets before anything is read. */
import { isObject, type JsonObject, type JsonValue } from '../../common/json/exact.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import type { ResponseItem } from '../../common/schema/items.ts'
import { InvalidValueError } from '../../common/parse-values.ts'
import type { PersonKey } from '../suppression/person-key.ts'
import { pseudonymOf } from '../suppression/pseudonym.ts'
import { RESPONSE_FIELD_SET, SLOT_FIELD_SET } from '../../common/schema/field-names.ts'
import type { ItemIssues } from './item-issues.ts'
import { kindOf } from './kind.ts'
import type { ItemType } from './normalise-item.ts'

/** Columns that may be left out: no view counts by them. */
const COLUMNS: readonly string[] = ['name', 'email', 'message']
const PSEUDONYMS = ['name', 'email'] as const
type Pseudonym = (typeof PSEUDONYMS)[number]
/** Stands for all fields that the specification does not name. */
const EXTRA = '_extra'

/** Fields of one kind of object that are not stored. */
interface LeftOut {
  /** Fields that the specification names. */
  readonly columns: ReadonlySet<string>
  /** Fields that it does not name. */
  readonly unknown: ReadonlySet<string>
  /** All that it does not name, and values that do not fit their columns. */
  readonly allExtra: boolean
}

export interface FieldRules {
  readonly responses: LeftOut
  readonly slots: LeftOut
  readonly pseudonyms: ReadonlySet<Pseudonym>
  /** Of the pseudonyms; null only without any. */
  readonly key: PersonKey | null
  /** The rules in one spelling: a mirror stores it, so that a change is noticed. Empty without rules. */
  readonly text: string
}

/**
 * Reads the rules.
 *
 * @param leaveOut like `responses.message`, `responses._extra.phone`, `slots._extra`
 * @param pseudonymise `name`, `email` or both
 * @returns null when there are none
 * @throws InvalidValueError that names the field
 */
export function fieldRules(
  leaveOut: readonly string[],
  pseudonymise: readonly string[],
  key: PersonKey | null,
): FieldRules | null {
  if (leaveOut.length + pseudonymise.length === 0) return null
  const left = leaveOut.map(leftOutField)
  const pseudonyms = new Set(pseudonymise.map(pseudonymField))
  const of = (table: string): LeftOut => {
    const fields = left.filter((field) => field.table === table)
    return {
      columns: new Set(fields.flatMap(({ column }) => (column === EXTRA ? [] : [column]))),
      unknown: new Set(fields.flatMap(({ unknown }) => unknown ?? [])),
      allExtra: fields.some(({ column, unknown }) => column === EXTRA && unknown === null),
    }
  }
  const responses = of('responses')
  for (const field of pseudonyms)
    if (responses.columns.has(field))
      throw new InvalidValueError(`names ${field} twice: it cannot be left out and be a pseudonym`)
  return { responses, slots: of('slots'), pseudonyms, key, text: textOf(leaveOut, pseudonyms, key) }
}

function textOf(leaveOut: readonly string[], pseudonyms: ReadonlySet<string>, key: PersonKey | null): string {
  const left = [...new Set(leaveOut)].toSorted().join(', ')
  const hashed = [...pseudonyms].toSorted().join(' and ')
  return [
    ...(left === '' ? [] : [`without ${left}`]),
    ...(hashed === '' ? [] : [`with pseudonyms of ${hashed} by key ${key?.check ?? ''}`]),
  ].join('; ')
}

/** What the rules of a mirror make of a field, by the text that it stores of them: the check of the key of its pseudonyms; null for others. */
export function pseudonymKeyCheck(rulesText: string, field: Pseudonym): string | null {
  const [, hashed = '', check = null] = /with pseudonyms of (.*) by key ([0-9a-f]*)$/.exec(rulesText) ?? []
  return hashed.split(' and ').includes(field) ? check : null
}

interface LeftOutField {
  readonly table: 'responses' | 'slots'
  readonly column: string
  /** Below `_extra`; null: all of it. */
  readonly unknown: string | null
}

function leftOutField(field: string): LeftOutField {
  const [, table = '', column = '', , unknown = null] =
    /^(\w+)\.(\w+)(\.([^]+))?$/.exec(field)?.map((part) => part ?? null) ?? []
  const wrong = (why: string): never => {
    throw new InvalidValueError(
      `cannot leave out ${JSON.stringify(field)}: ${why}. It may be ${COLUMNS.map((name) => `responses.${name}`).join(', ')}, ` +
        `responses._extra, slots._extra, and a field that the specification does not name as responses._extra.phone or slots._extra.phone`,
    )
  }
  if (table !== 'responses' && table !== 'slots') return wrong('it is no field of responses or slots')
  const known: ReadonlySet<string> = table === 'responses' ? RESPONSE_FIELD_SET : SLOT_FIELD_SET
  if (column === EXTRA) {
    if (unknown !== null && known.has(unknown)) return wrong(`${unknown} is a column of its own`)
    return { table, column, unknown }
  }
  if (unknown !== null) return wrong(`${column ?? ''} has no fields`)
  if (table === 'responses' && column !== null && COLUMNS.includes(column)) return { table, column, unknown }
  return wrong(
    column !== null && known.has(column)
      ? 'the views count by it'
      : `the specification names no field ${column ?? ''}${didYouMean(column ?? '', COLUMNS)}; of one that it does not name write ${table}._extra.${column ?? ''}`,
  )
}

function pseudonymField(field: string): Pseudonym {
  const found = PSEUDONYMS.find((name) => name === field)
  if (found !== undefined) return found
  throw new InvalidValueError(`has pseudonyms for name and email alone, not for ${JSON.stringify(field)}`)
}

/** What makes a row of a response under these rules. What is left out is gone before it is looked at. */
export function underRules(type: ItemType<ResponseItem>, rules: FieldRules | null): ItemType<ResponseItem> {
  if (rules === null) return type
  return {
    ...type,
    buildRow: (fields, id, issues) => {
      const left = /* guard: left out of items */ withoutLeftOut(fields, rules)
      // What is left out, as slots that are no list, still tells the kind.
      const row = { ...type.buildRow(left, id, issues), kind: kindOf(fields) }
      return pseudonymised(withoutExtra(row, rules, issues), rules)
    },
  }
}

/** The fields of an item without those that are left out. */
function withoutLeftOut(fields: JsonObject, rules: FieldRules): JsonObject {
  const kept = keep(fields, rules.responses, RESPONSE_FIELD_SET)
  // Another type than text would stand in `_extra` as it is.
  for (const field of rules.pseudonyms) if (typeof kept[field] !== 'string') delete kept[field]
  const { slots } = kept
  if (slots === undefined || !hasRules(rules.slots)) return kept
  // What is no slot would stand in `_extra` as it is, too, with whatever is in it.
  // guard: left out of what is no slot
  if (Array.isArray(slots))
    kept['slots'] = slots.map((slot): JsonValue =>
      isObject(slot) ? keep(slot, rules.slots, SLOT_FIELD_SET) : null,
    )
  else delete kept['slots']
  return kept
}

const hasRules = ({ columns, unknown, allExtra }: LeftOut) => allExtra || columns.size > 0 || unknown.size > 0

/** A rejected item without the fields that are left out or are pseudonyms; null when its fields cannot be found. */
export function withoutLeftOutText(text: string, rules: FieldRules): string | null {
  let item: unknown
  try {
    item = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return null
  const left = withoutLeftOut(item as JsonObject, rules)
  for (const field of rules.pseudonyms) delete left[field]
  return JSON.stringify(left)
}

function keep(
  fields: JsonObject,
  { columns, unknown, allExtra }: LeftOut,
  known: ReadonlySet<string>,
): JsonObject {
  const kept = Object.entries(fields).filter(
    ([name]) => !columns.has(name) && !unknown.has(name) && (known.has(name) || !allExtra),
  )
  return Object.fromEntries(kept)
}

/** Without values that do not fit their columns, too, where `_extra` is left out whole. */
function withoutExtra(row: ResponseItem, { responses, slots }: FieldRules, issues: ItemIssues): ResponseItem {
  if (!responses.allExtra && !slots.allExtra) return row
  const isStored = (entry: string) =>
    entry.startsWith('(') || !(entry.startsWith('slots.') ? slots.allExtra : responses.allExtra)
  const left = issues.setAside?.filter(isStored) ?? []
  issues.setAside = left.length === 0 ? null : left
  return {
    ...row,
    _extra: responses.allExtra ? null : row._extra,
    slots: slots.allExtra ? row.slots.map((slot) => ({ ...slot, _extra: null })) : row.slots,
  }
}

function pseudonymised(row: ResponseItem, { pseudonyms, key }: FieldRules): ResponseItem {
  if (key === null || pseudonyms.size === 0) return row
  const { name, email } = row
  return {
    ...row,
    name: pseudonyms.has('name') && name !== null ? pseudonymOf('name', name, key) : name,
    email: pseudonyms.has('email') && email !== null ? pseudonymOf('email', email, key) : email,
  }
}
