import type { Kysely } from 'kysely'
import type { Tables } from '../../common/schema/tables.ts'

/** A query that is run once; again only when it failed. */
export function memoizeQuery<T>(
  ask: (kysely: Kysely<Tables>) => Promise<T>,
): (kysely: Kysely<Tables>) => Promise<T> {
  let asked: Promise<T> | null = null
  return async (kysely) => {
    asked ??= ask(kysely)
    try {
      return await asked
    } catch (error) {
      asked = null
      throw error
    }
  }
}
