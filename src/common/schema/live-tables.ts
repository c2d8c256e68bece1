/**
 * The columns of the live tables that hold what the service sends. The rows that are copied, inserted, updated and compared
 * are made from this table.
 */

export type MirrorTable = 'events' | 'responses' | 'payments' | 'slots'
/** The tables whose rows hang on a response. */
export type ChildTable = 'payments' | 'slots'

export type SqlType = 'text' | 'int' | 'bigint' | 'numeric' | 'timestamptz' | 'timestamp' | 'jsonb'

interface LiveTable {
  /** What a row is found by, beside the account. */
  readonly key: Readonly<Record<string, SqlType>>
  /** What the service sends, in the order of the copied rows. */
  readonly values: Readonly<Record<string, SqlType>>
}

export const LIVE_TABLES = {
  events: {
    key: { id: 'text' },
    values: {
      title: 'text',
      event_at: 'timestamptz',
      description: 'text',
      event_type: 'text',
      location: 'text',
      _extra: 'jsonb',
    },
  },
  responses: {
    key: { event_id: 'text', id: 'bigint' },
    values: {
      kind: 'text',
      name: 'text',
      email: 'text',
      message: 'text',
      quantity: 'bigint',
      rsvp: 'text',
      created_at: 'timestamptz',
      updated_at: 'timestamptz',
      _extra: 'jsonb',
    },
  },
  payments: {
    key: { event_id: 'text', response_id: 'bigint' },
    values: { amount: 'numeric', processing_fee: 'numeric' },
  },
  slots: {
    key: { event_id: 'text', response_id: 'bigint', position: 'int' },
    values: {
      name: 'text',
      start_date: 'timestamptz',
      end_date: 'timestamptz',
      start_local: 'timestamp',
      end_local: 'timestamp',
      _extra: 'jsonb',
    },
  },
} as const satisfies Readonly<Record<MirrorTable, LiveTable>>

export type LiveTables = typeof LIVE_TABLES

/** The names of the key columns, and of the others. */
export function keyColumns(table: MirrorTable): readonly string[] {
  return Object.keys(LIVE_TABLES[table].key)
}

export function valueColumns(table: MirrorTable): readonly string[] {
  return Object.keys(LIVE_TABLES[table].values)
}

/** The SQL types of all columns, by name: those of the key first. */
export function columnTypes(table: MirrorTable): Readonly<Record<string, SqlType>> {
  const { key, values } = LIVE_TABLES[table]
  return { ...key, ...values }
}
