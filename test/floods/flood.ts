/** What clients that read slowly ask for. */
export interface Flood {
  readonly port: number
  readonly clients: number
  /** Of the clients in turn. */
  readonly asks: readonly SlowAsk[]
}

export interface SlowAsk {
  /** One request or more, as bytes. */
  readonly request: string
  /** Reads 64 bytes every 10 s; otherwise once. */
  readonly drips: boolean
}

/** How many answers began with which status. */
export type Statuses = Readonly<Record<string, number>>
