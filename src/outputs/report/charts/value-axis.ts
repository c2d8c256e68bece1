import { scaleLinear } from 'd3-scale'
import { html } from 'hono/html'
import { frameOf, pixel, type ChartSize } from './chart.ts'

/** From this value on labels are short: `250k`. */
const SHORT_FROM = 100_000

/**
 * The axis of values, with zero in it.
 *
 * @param unit what is counted, as the chart says it
 * @returns as `drawing` lines across the chart with their values, and what they count above them
 */
export function valueAxis(
  size: ChartSize,
  values: readonly number[],
  { unit, whole }: { readonly unit: string; readonly whole: boolean },
) {
  const lowest = values.reduce((least, value) => Math.min(least, value), 0)
  const highest = values.reduce((most, value) => Math.max(most, value), lowest < 0 ? 0 : 1)
  const scale = scaleLinear().domain([lowest, highest]).nice(4)
  const ticks = scale.ticks(4).filter((tick) => !whole || Number.isInteger(tick))
  const largest = Math.max(...scale.domain().map(Math.abs))
  const format = scale.tickFormat(4, largest >= SHORT_FROM ? '~s' : undefined)
  const labels = ticks.map((tick) => format(tick))
  const frame = frameOf(size, labels)
  const y = scale.range([frame.height - frame.bottom, frame.top])
  const lines = ticks.map(
    (tick, at) =>
      html`<line
          class="${tick === 0 ? 'zero' : 'grid'}"
          x1="${frame.left}"
          x2="${frame.width - frame.right}"
          y1="${pixel(y(tick))}"
          y2="${pixel(y(tick))}"
        ></line
        ><text x="${frame.left - 8}" y="${pixel(y(tick) + 4)}" text-anchor="end">${labels[at]}</text>`,
  )
  return { frame, y, drawing: html`<text x="0" y="13">${unit}</text>${lines}` }
}
