/** The calls that wait for a turn at one host, by account. The accounts stand in the order of service. */
export class WaitingCalls<Result> {
  readonly #calls = new Map<string, readonly PromiseWithResolvers<Result>[]>()

  /** Of the accounts, not of their calls. */
  get size(): number {
    return this.#calls.size
  }

  accounts(): Iterable<string> {
    return this.#calls.keys()
  }

  add(account: string): PromiseWithResolvers<Result> {
    const call = Promise.withResolvers<Result>()
    this.#set(account, [...this.#of(account), call])
    return call
  }

  takeFirst(account: string): PromiseWithResolvers<Result> | undefined {
    const [first, ...others] = this.#of(account)
    this.#set(account, others)
    return first
  }

  /** @returns whether it was still waiting */
  remove(account: string, call: PromiseWithResolvers<Result>): boolean {
    const all = this.#of(account)
    const left = all.filter((other) => other !== call)
    this.#set(account, left)
    return left.length < all.length
  }

  /** Further calls of an account that had its turn come after those of the others. */
  moveToEnd(account: string): void {
    const calls = this.#of(account)
    this.#calls.delete(account)
    this.#set(account, calls)
  }

  /** All of them, each with the error of its account. */
  fail(errorOf: (account: string) => Error): void {
    const failing = [...this.#calls]
    this.#calls.clear()
    for (const [account, calls] of failing) for (const { reject } of calls) reject(errorOf(account))
  }

  #of(account: string): readonly PromiseWithResolvers<Result>[] {
    return this.#calls.get(account) ?? []
  }

  #set(account: string, calls: readonly PromiseWithResolvers<Result>[]): void {
    if (calls.length === 0) this.#calls.delete(account)
    else this.#calls.set(account, calls)
  }
}
