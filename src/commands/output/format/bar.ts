const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of `value` where `max` fills `columns`; anything above nothing is seen. */
export function drawBar(value: number, max: number, columns: number): string {
  if (value <= 0) return ''
  const eighths = Math.max(1, Math.round((value / max) * columns * 8))
  return '█'.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '')
}
