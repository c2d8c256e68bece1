import { isRawNumber, MAX_ITEM_DEPTH, type JsonObject, type JsonValue } from '../../common/json/exact.ts'
import { isValidPostgresText, replaceInvalidChars } from '../../common/text/postgres-text.ts'
import { fitsNumeric } from './decimals.ts'
import { noteSetAside, REPAIRED, type ItemIssues } from '../items/item-issues.ts'

export function toPostgresText(text: string, issues: ItemIssues): string {
  if (isValidPostgresText(text)) return text
  noteSetAside(issues, REPAIRED)
  return replaceInvalidChars(text)
}

/** An object on which `__proto__` and `constructor` are keys like any other. */
export function nullPrototypeObject(): JsonObject {
  // guard: keys like __proto__
  return Object.create(null)
}

/**
 * A value as jsonb can hold it. What cannot be mended (nesting, a number beyond numeric) is noted as a flaw of
 * the item, and what is returned is then of no use.
 *
 * @param level of nesting at which the value stands, when it is an object or an array; the item itself is 1.
 */
export function toJsonbValue(value: JsonValue, level: number, issues: ItemIssues): JsonValue {
  if (typeof value === 'string') return toPostgresText(value, issues)
  if (typeof value !== 'object' || value === null) return value
  if (isRawNumber(value)) {
    if (!fitsNumeric(value.rawJSON)) issues.fatal = 'number_out_of_range'
    return value
  }
  // guard: depth
  if (level > MAX_ITEM_DEPTH) {
    issues.fatal = 'too_deep'
    return null
  }
  if (Array.isArray(value)) return value.map((element) => toJsonbValue(element, level + 1, issues))
  return copyFields(value, NO_FIELDS, nullPrototypeObject(), level, issues)
}

const NO_FIELDS: ReadonlySet<string> = new Set()

/**
 * Copies the fields that are not in `known`, nulls included, into `target`, which is made at need.
 *
 * @param level of nesting of the object whose fields these are.
 */
export function copyFields<Target extends JsonObject | null>(
  fields: JsonObject,
  known: ReadonlySet<string>,
  target: Target,
  level: number,
  issues: ItemIssues,
): Target | JsonObject {
  let copy: Target | JsonObject = target
  let oddKeys: string[] | null = null
  for (const key in fields) {
    const value = fields[key]
    if (value === undefined || known.has(key)) continue
    // guard: fields that the service did not send
    if (!Object.hasOwn(fields, key)) continue
    if (isValidPostgresText(key))
      (copy ??= nullPrototypeObject())[key] = toJsonbValue(value, level + 1, issues)
    else (oddKeys ??= []).push(key)
  }
  return oddKeys === null
    ? copy
    : copyInvalidKeys(fields, oddKeys.sort(), copy ?? nullPrototypeObject(), level, issues)
}

/** Keys that need repair come last and in a fixed order, so that none takes the place of another. */
function copyInvalidKeys(
  fields: JsonObject,
  keys: readonly string[],
  copy: JsonObject,
  level: number,
  issues: ItemIssues,
): JsonObject {
  for (const key of keys) {
    let name = toPostgresText(key, issues)
    while (Object.hasOwn(copy, name)) name += '\uFFFD'
    const value = fields[key]
    if (value !== undefined) copy[name] = toJsonbValue(value, level + 1, issues)
  }
  return copy
}
