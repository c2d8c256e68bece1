/** The code of an error of the system (`ENOENT`), of a driver or of ours; null when it has none. */
export function errorCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
}
