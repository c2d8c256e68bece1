/**
 * Our own types for a PGlite: its published types depend on those of WebAssembly and Emscripten, which a program that
 * checks the types of its libraries would need.
 */

/** A PGlite, or a wrapper around one. */
export interface PGliteLike extends QueryRunner {
  readonly closed: boolean
  /** By the type's object id (pg_type.oid). */
  readonly parsers: TypeParsers
  transaction<T>(work: (tx: QueryRunner) => Promise<T>): Promise<T>
}

export interface QueryRunner {
  query<T>(text: string, values?: unknown[], options?: SendOptions): Promise<Results<T>>
}

export interface SendOptions {
  readonly rowMode?: 'array' | 'object'
  readonly parsers?: TypeParsers
  /** The input of a COPY from /dev/blob. */
  readonly blob?: Blob
}

export interface Results<T> {
  readonly rows: T[]
  readonly fields: { readonly name: string; readonly dataTypeID: number }[]
  readonly rowCount?: number
  /** The output of a COPY to /dev/blob. */
  readonly blob?: Blob
}

export type TypeParsers = Record<number, (text: string, type?: number) => unknown>
