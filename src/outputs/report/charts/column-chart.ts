import { scaleBand } from 'd3-scale'
import { html } from 'hono/html'
import type { Html } from '../page/text.ts'
import { drawChart, pixel, type ChartSize } from './chart.ts'
import { valueAxis } from './value-axis.ts'

export interface ChartColumn {
  readonly key: string
  /** null: there is none. */
  readonly value: number | null
  /** Below it; the first line, and one below that where it differs from the column before. */
  readonly label: readonly [string, string]
}

/** Pixels that a label takes. */
const LABEL = 44

/** Columns side by side, from zero up or down. */
export function drawColumns(label: string, columns: readonly ChartColumn[], unit: string): Html {
  return drawChart(label, (size) => drawSized(size, columns, unit))
}

function drawSized(size: ChartSize, columns: readonly ChartColumn[], unit: string): Html {
  const { frame, y, drawing } = valueAxis(
    size,
    columns.flatMap(({ value }) => value ?? []),
    { unit, whole: false },
  )
  const x = scaleBand()
    .domain(columns.map(({ key }) => key))
    .range([frame.left, frame.width - frame.right])
    .padding(0.25)
  const every = Math.ceil(LABEL / Math.max(1, x.step()))
  // The last one has a label in any case.
  const isLabelled = (at: number) => (columns.length - 1 - at) % every === 0
  const bars = columns.map(({ key, value }) => {
    if (value === null || value === 0) return ''
    const [top, bottom] = value > 0 ? [y(value), y(0)] : [y(0), y(value)]
    return html`<rect
      class="column"
      x="${pixel(x(key) ?? 0)}"
      y="${pixel(top)}"
      width="${pixel(x.bandwidth())}"
      height="${pixel(bottom - top)}"
    ></rect>`
  })
  let former = ''
  const labels = columns.map(({ key, label: [first, second] }, at) => {
    if (!isLabelled(at)) return ''
    const middle = pixel((x(key) ?? 0) + x.bandwidth() / 2)
    const isNew = second !== former
    former = second
    const text = html`<text x="${middle}" y="${frame.height - frame.bottom + 18}" text-anchor="middle"
      >${first}</text
    >`
    return isNew
      ? html`${text}<text x="${middle}" y="${frame.height - frame.bottom + 35}" text-anchor="middle"
            >${second}</text
          >`
      : text
  })
  return html`${drawing}${bars}${labels}`
}
