/** One request. */
export interface Ask {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** What is asked of a server. */
export interface Plan {
  readonly origin: string
  /** So many at once, each with a connection that it keeps and one request at a time. */
  readonly clients: number
  /** Asked by every client in turn, so that each is asked as often as the others. */
  readonly asks: readonly Ask[]
  /** Null: until it is told to stop. */
  readonly requests: number | null
  /** Any other answer is a failure. */
  readonly status: number
  /** Asked before the clock runs, so often by each client: the connections are open then, and the code is compiled. */
  readonly before: { readonly ask: Ask; readonly times: number } | null
}

/** What became of it. */
export interface Answered {
  readonly requests: number
  /** From the first request to the end of the last answer. */
  readonly ms: number
  /** Of the bodies. */
  readonly bytes: number
  /** 99 of 100 answers had come whole within this time. */
  readonly p99Ms: number
  /** 99 of 100 answers had begun within this time: the first bytes of the body, or the head where there is none. */
  readonly firstByteMs: number
  /** Processor time of the asking: where it is as long as the whole, a faster server would not have been seen. */
  readonly askingMs: number
}
