import { html } from 'hono/html'
import type { Html } from '../page/text.ts'

/** For a desk and for paper, and for a telephone: a chart that is only made smaller has letters nobody reads. */
const sizes = {
  wide: { width: 960, height: 280 },
  narrow: { width: 380, height: 260 },
} as const

export type ChartSize = keyof typeof sizes

/** Characters of a label, in pixels of the chart. */
const CHARACTER = 7.6

/** A drawing area and its margins. @param labels of the axis, which need room */
export function frameOf(size: ChartSize, labels: readonly string[]) {
  const longest = Math.max(...labels.map(({ length }) => length), 1)
  return { ...sizes[size], top: 30, right: 16, bottom: 44, left: Math.ceil(longest * CHARACTER) + 12 }
}

/** A chart in both sizes, of which the page shows the one that fits. */
export function drawChart(label: string, draw: (size: ChartSize) => Html): Html {
  const svg = (size: ChartSize) => {
    const { width, height } = sizes[size]
    return html`<svg class="${size}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
      ${draw(size)}
    </svg>`
  }
  return html`<figure class="chart">${svg('wide')}${svg('narrow')}</figure>`
}

/** Short enough for a path of thousands of points. */
export function pixel(value: number): string {
  return String(Math.round(value * 10) / 10)
}
