/** One guard of the program: what keeps a promise, and without which some test must go red. A comment in `src` marks its place. */
export interface Guard {
  readonly name: string
  /** What a user may rely on because of it. */
  readonly promise: string
  readonly mutation: Mutation
  /** Files of tests of which one must go red. */
  readonly tests: readonly string[]
  /** A regular expression that narrows them to the names that matter, where a file takes long. */
  readonly only?: string
}

/**
 * How the marked code is changed. A statement that is marked stands for its expression (the condition of an `if`,
 * what is returned, thrown or assigned), and a property for its value.
 */
export type Mutation =
  /** Without the statement, property, element, or call of a chain. */
  | 'remove'
  /** The expression is false, or true; of `a ? b : c` the condition is. */
  | 'never'
  | 'always'
  /** A call becomes its first argument. */
  | 'unwrap'
  /** Another expression in place of the marked one. */
  | { readonly replace: string }
  /** Another statement for the body of the marked `if`. */
  | { readonly body: string }
  /** A text that the marked code has once, such as a clause of SQL, goes; or `put` comes in its place. */
  | { readonly cut: string; readonly put?: string }
