/** Groups of events with about so many rows: whole events, and one with more rows goes alone. An event itself counts as a row. */
export function groupByRows<Event>(
  events: readonly Event[],
  maxRows: number,
  rowsOf: (event: Event) => number,
): readonly (readonly Event[])[] {
  const groups: Event[][] = []
  let rows = Infinity
  for (const event of events) {
    const added = 1 + rowsOf(event)
    if (rows + added > maxRows) {
      groups.push([])
      rows = 0
    }
    groups.at(-1)?.push(event)
    rows += added
  }
  return groups
}
