/** `Sat 5 Dec 18:30` of a wall clock. */
export function wallClockText(wall: string | null): string {
  if (wall === null) return ''
  const at = new Date(`${wall}Z`)
  if (Number.isNaN(at.getTime())) return wall
  return at.toUTCString().replace(/^(\w+), 0?(\d+ \w+) \d+ (\d+:\d+):\d+ GMT$/, '$1 $2 $3')
}
