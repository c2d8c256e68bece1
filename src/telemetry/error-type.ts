/** The code of an error of ours or of a driver, else the name of its class: never its message. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' && error.code !== '' ? error.code : error.name
}
