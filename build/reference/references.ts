import type { PGlite } from '@electric-sql/pglite'
import { accountsSchema } from './accounts-schema.ts'
import { cliReference } from './cli.ts'
import { manPage } from './man.ts'
import { queriesReference } from './queries.ts'
import { schemaReference } from './schema.ts'

/** The documents that are made, from the root of the repository. */
export const references: readonly {
  readonly file: string
  /** Those that ask a database take the given one, which stays open, or make one. */
  readonly make: (given?: PGlite) => string | Promise<string>
}[] = [
  { file: 'docs/cli.md', make: cliReference },
  { file: 'docs/operate/accounts.schema.json', make: accountsSchema },
  { file: 'build/headcount.1', make: manPage },
  { file: 'docs/queries.md', make: queriesReference },
  { file: 'docs/schema.md', make: schemaReference },
]
