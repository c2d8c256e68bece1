/** How often each entry of issues stands in the rows of a list: the fields set aside, and texts repaired. */
export class SetAsideCounts {
  readonly #counts = new Map<string, number>()

  /** Adds the entries of one row. */
  add(entries: readonly string[] | null): void {
    for (const entry of entries ?? []) this.#counts.set(entry, (this.#counts.get(entry) ?? 0) + 1)
  }

  /** Takes the entries of a row back that is not stored after all. */
  remove(entries: readonly string[] | null): void {
    for (const entry of entries ?? []) this.#counts.set(entry, (this.#counts.get(entry) ?? 0) - 1)
  }

  get total(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0)
  }

  /** The entries that are there, with their numbers, by name. */
  get entries(): readonly (readonly [string, number])[] {
    const there = [...this.#counts].filter(([, count]) => count > 0)
    return there.sort(([one], [other]) => (one < other ? -1 : 1))
  }
}
