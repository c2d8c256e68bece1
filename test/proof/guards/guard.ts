/** One guard of the program: a piece of text that keeps a promise, and without which some test must go red. */
export interface Guard {
  readonly name: string
  /** What a user may rely on because of it. */
  readonly promise: string
  readonly file: string
  /** Stands in the file exactly once. */
  readonly text: string
  /** What stands there instead when the guard is taken out. */
  readonly instead: string
  /** Files of tests of which one must go red. */
  readonly tests: readonly string[]
  /** A regular expression that narrows them to the names that matter, where a file takes long. */
  readonly only?: string
}
