/**
 * What we use of a PGlite, written out: its own types ask for those of WebAssembly and Emscripten, which a program that
 * checks the types of its libraries would have to have.
 */

/** An embedded database that a caller keeps open: a PGlite, or what stands before one. */
export interface PGliteLike extends QueryRunner {
  readonly closed: boolean
  /** How values of each type are read from their text, by the type's number (pg_type.oid). */
  readonly parsers: TypeParsers
  transaction<T>(work: (tx: QueryRunner) => Promise<T>): Promise<T>
}

export interface QueryRunner {
  query<T>(text: string, values?: unknown[], options?: SendOptions): Promise<Results<T>>
}

export interface SendOptions {
  readonly rowMode?: 'array' | 'object'
  readonly parsers?: TypeParsers
  /** What a COPY reads from /dev/blob. */
  readonly blob?: Blob
}

export interface Results<T> {
  readonly rows: T[]
  readonly fields: { readonly name: string; readonly dataTypeID: number }[]
  readonly rowCount?: number
  readonly affectedRows?: number
  /** What a COPY wrote to /dev/blob. */
  readonly blob?: Blob
}

export type TypeParsers = Record<number, (text: string, type?: number) => unknown>
