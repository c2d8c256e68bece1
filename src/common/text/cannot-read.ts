/** `cannot read "keys/ada.key" (ENOENT)`: the path, and the code of the system's error. */
export function cannotRead(path: string, error: unknown): string {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return `cannot read ${JSON.stringify(path)} (${reason})`
}
