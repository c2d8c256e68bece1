import { readSchemaDescription, type SchemaDescription } from '../query/describe-schema.ts'
import { defineCall } from './call.ts'

export const tablesCall = defineCall<Record<string, never>, SchemaDescription>({
  name: 'tables',
  changes: false,
  readInput: () => ({}),
  run: (database) => database.transaction(readSchemaDescription, { readOnly: true }),
})
