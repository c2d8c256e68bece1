import { scaleLinear } from 'd3-scale'
import { curveStepAfter, line } from 'd3-shape'
import { html } from 'hono/html'
import type { Html } from '../page/text.ts'
import { drawChart, pixel, type ChartSize } from './chart.ts'
import { valueAxis } from './value-axis.ts'

/** So many people on a day so many days before the event. */
export type PacePoint = readonly [daysBefore: number, people: number]

export interface PaceCurve {
  /** Of the style: `own`, `earlier1` to `earlier3`. */
  readonly name: string
  /** The first day first. */
  readonly points: readonly PacePoint[]
}

export interface PaceChart {
  /** What a screen reader says of it. */
  readonly label: string
  readonly curves: readonly PaceCurve[]
  /** Where the chart begins, in days before the event. */
  readonly from: number
  /** The last point of the event itself; null: it has none yet. */
  readonly now: { readonly point: PacePoint; readonly text: string } | null
}

/** Curves of people by days before the event, which is at the right. */
export function drawPaceChart(chart: PaceChart): Html {
  return drawChart(chart.label, (size) => drawSized(size, chart))
}

function drawSized(size: ChartSize, { curves, from, now }: PaceChart): Html {
  const values = curves.flatMap(({ points }) => points.map(([, people]) => people))
  const { frame, y, drawing } = valueAxis(size, values, { unit: 'people', whole: true })
  const x = scaleLinear()
    .domain([from, 0])
    .range([frame.left, frame.width - frame.right])
  const path = line<PacePoint>()
    .x(([daysBefore]) => x(daysBefore))
    .y(([, people]) => y(people))
    .curve(curveStepAfter)
    .digits(1)
  const bottom = frame.height - frame.bottom
  const ticks = x.ticks(size === 'wide' ? 8 : 4).filter((tick) => Number.isInteger(tick))
  return html`${drawing}${ticks.map(
      (tick) =>
        html`<text x="${pixel(x(tick))}" y="${bottom + 18}" text-anchor="${tick === 0 ? 'end' : 'middle'}"
          >${tick}</text
        >`,
    )}<text x="${frame.width - frame.right}" y="${bottom + 36}" text-anchor="end">days before the event</text
    >${curves.map(
      ({ name, points }) => html`<path class="line ${name}" d="${path(points) ?? ''}"></path>`,
    )}${now === null ? '' : drawNow(x(now.point[0]), y(now.point[1]), now.text, (x(from) + x(0)) / 2)}`
}

function drawNow(x: number, y: number, text: string, middle: number): Html {
  const isRight = x > middle
  return html`<circle class="dot" cx="${pixel(x)}" cy="${pixel(y)}" r="5"></circle
    ><text
      class="value"
      x="${pixel(isRight ? x - 10 : x + 10)}"
      y="${pixel(y - 9)}"
      text-anchor="${isRight ? 'end' : 'start'}"
      >${text}</text
    >`
}
