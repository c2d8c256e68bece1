/** What may stand in an accounts file: the one table that the reader and the JSON schema for editors go by. */
import { name, type ValueForm } from '../../common/parse-values.ts'
import { accountSettings } from '../settings.ts'

const text: ValueForm = { type: 'string', minLength: 1 }

/** Below `defaults:`, and in each entry. */
export const sharedKeys: ReadonlyMap<string, ValueForm> = new Map([
  ...[...accountSettings].map(([key, { read }]) => [key, read.form ?? text] as const),
  ['person_key_file', text] as const,
])

/** In each entry. */
export const entryKeys: ReadonlyMap<string, ValueForm> = new Map([
  ['name', name.form] as const,
  ['key_file', text] as const,
  ...sharedKeys,
])

/** What each entry must have. */
export const requiredKeys = ['name', 'key_file'] as const
