/** Simulated time: to let it pass, everything that the mirror has stored moves into the past. */
import type { Ask } from '../engine/engine.ts'

/** Time stamps that belong to the service, and stay. */
const ofTheService = new Set([
  'events.event_at',
  'responses.created_at',
  'responses.updated_at',
  'slots.start_date',
  'slots.end_date',
])

export interface Tables {
  /** Every table of the mirror. */
  readonly all: readonly string[]
  /** Columns that are moved, by table; found in the catalogue, so that new ones are not forgotten. */
  readonly times: ReadonlyMap<string, readonly string[]>
}

export async function readTables(ask: Ask): Promise<Tables> {
  const tables = await ask(
    `select table_name from information_schema.tables
      where table_schema = 'headcount' and table_type = 'BASE TABLE' and table_name <> 'schema_migrations'`,
  )
  const columns = await ask(
    `select c.table_name, c.column_name from information_schema.columns c
       join information_schema.tables t using (table_schema, table_name)
      where table_schema = 'headcount' and t.table_type = 'BASE TABLE' and c.table_name <> 'schema_migrations'
        and c.data_type = 'timestamp with time zone'`,
  )
  const moved = columns.filter(([table, column]) => !ofTheService.has(`${table}.${column}`))
  const byTable = Map.groupBy(moved, ([table]) => String(table))
  return {
    all: tables.map(([name]) => String(name)),
    times: new Map([...byTable].map(([table, rows]) => [table, rows.map(([, column]) => String(column))])),
  }
}

/**
 * Moves all that is stored so many minutes into the past.
 *
 * @param ofRuns whether the clock of the runs moves on too, or that of the database alone jumps ahead
 */
export async function letPass(ask: Ask, { times }: Tables, minutes: number, ofRuns = true): Promise<void> {
  const shift = `interval '${minutes} minutes'`
  const shifted = (field: string) =>
    `jsonb_build_object('${field}', to_jsonb((g->>'${field}')::timestamptz - ${shift}))`
  const group = ['g', shifted('since'), ...(ofRuns ? [shifted('run_since')] : [])].join(' || ')
  const held = `held_deletions = (select jsonb_agg(${group} order by place)
                          from jsonb_array_elements(held_deletions) with ordinality as groups (g, place))`
  const updates = [...times].map(([table, columns], place) => {
    const sets = [
      ...columns.map((column) => `${column} = ${column} - ${shift}`),
      ...(table === 'sync_state' ? [held] : []),
    ]
    return `u${place} as (update headcount.${table} set ${sets.join(', ')})`
  })
  await ask(`with ${updates.join(',\n')} select 1`)
}

/** Truncating costs as much as ten deletions: most histories begin with rows deleted, and dead rows go now and then. */
export async function empty(ask: Ask, { all }: Tables, isThorough: boolean): Promise<void> {
  const names = all.map((table) => `headcount.${table}`)
  if (isThorough) await ask(`truncate ${names.join(', ')}`)
  else
    await ask(`with ${names.map((name, place) => `d${place} as (delete from ${name})`).join(', ')} select 1`)
}
