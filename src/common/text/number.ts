/** A number for people: `12,345`, `12,345.60`. Every digit stays as it is. The first formatter of `Intl` would take 13 ms. */
export function formatNumber(value: number | string): string {
  return String(value).replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))
}

/** `1 row`, `2 rows`. */
export function formatCount(value: number | string, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${String(value) === '1' ? one : many}`
}

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** A size for people: `812 bytes`, `4.2 MB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${byteUnits[step]}`
}

/** `12,345.60` of `12345.60`, as it was sent: money is exact. Blank without an amount. */
export function moneyText(amount: string | null): string {
  return amount === null ? '' : formatNumber(amount)
}
