/** The style of the page: light and dark, telephone to desk, A4. One accent colour; figures stand below each other. */
export const STYLE = `
:root { color-scheme: light dark;
  --page: light-dark(#ffffff, #14171a); --text: light-dark(#1c2126, #e6e9ec); --muted: light-dark(#59636d, #a3aeb8);
  --line: light-dark(#dce1e6, #363d44); --faint: light-dark(#f5f7f9, #1b1f23);
  --accent: light-dark(#0b5cad, #74b4ff); --soft: light-dark(#dbe8f6, #24405f);
  --warn: light-dark(#8a4200, #ffbd76); --warn-page: light-dark(#fff5e8, #2d2314); }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header, main, footer { max-width: 62rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2rem; }
footer { padding-top: 1rem; padding-bottom: 3rem; color: var(--muted); font-size: 0.875rem; }
h1, h2, h3 { line-height: 1.25; text-wrap: balance; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.75rem; letter-spacing: -0.01em; }
h2 { margin: 3rem 0 0.75rem; padding-top: 0.75rem; border-top: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 2rem 0 0.25rem; font-size: 1rem; }
p { margin: 0.25rem 0 0.75rem; overflow-wrap: anywhere; }
ul { margin: 0.25rem 0 0.75rem; padding-left: 1.25rem; }
li { margin: 0.2rem 0; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: 0.15em; }
bdi { unicode-bidi: isolate; }
.muted, .meta, .caption, .note { color: var(--muted); }
.meta { margin: 0.4rem 0 0; }
.state { display: block; margin: 1rem 0 0; padding: 0.3rem 0.75rem; border: 1px solid var(--line); border-radius: 0.4rem; }
.state.warn { border-color: var(--warn); background: var(--warn-page); color: var(--warn); }
.state b { font-weight: 600; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 1.25rem 0 0; padding: 0; list-style: none; font-size: 0.9375rem; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); margin: 1.5rem 0 0; border: 1px solid var(--line); border-radius: 0.4rem; overflow: hidden; }
.figures div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 0.75rem 1rem; box-shadow: 1px 0 var(--line), 0 1px var(--line); }
.figures dt { color: var(--muted); font-size: 0.875rem; line-height: 1.35; }
.figures dd { margin: 0; font-size: 1.6rem; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
.scroll + .caption, .scroll + .search { margin-top: 1.5rem; }
.scroll.tall { max-height: min(34rem, 75vh); overflow-y: auto; border: 1px solid var(--line); border-radius: 0.4rem; }
table { width: 100%; border-collapse: collapse; font-size: 0.9375rem; line-height: 1.4; }
.caption { margin: 0 0 0.4rem; font-size: 0.875rem; }
th, td { padding: 0.4rem 0.75rem 0.4rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
.tall th:first-child, .tall td:first-child { padding-left: 0.75rem; }
.tall th:last-child, .tall td:last-child { padding-right: 0.75rem; }
thead th { color: var(--muted); font-size: 0.8125rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
.tall thead th { position: sticky; top: 0; z-index: 1; background: var(--page); box-shadow: inset 0 -1px var(--line); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.title { min-width: 11rem; overflow-wrap: anywhere; }
.title .muted { display: block; font-size: 0.875rem; }
.bar { width: 26%; min-width: 6rem; }
.bar svg { display: block; width: 100%; height: 0.6rem; margin-top: 0.35rem; }
.bar .track { fill: var(--soft); }
.bar .fill { fill: var(--accent); }
.lacks { color: var(--warn); }
th button { all: unset; cursor: pointer; }
th button::after { content: "\\2195"; display: inline-block; width: 1.25em; text-align: center; opacity: 0.55; }
th.number button { display: inline-flex; flex-direction: row-reverse; }
th[aria-sort="ascending"] button::after { content: "\\2191"; opacity: 1; }
th[aria-sort="descending"] button::after { content: "\\2193"; opacity: 1; }
:focus-visible, th button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
.search { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.5rem 1rem; }
.search[hidden] { display: none; }
.search input { width: 16rem; max-width: 100%; padding: 0.35rem 0.6rem; border: 1px solid var(--muted); border-radius: 0.3rem; background: var(--page); color: var(--text); font: inherit; }
figure { margin: 0.75rem 0; }
.chart svg { display: block; width: 100%; height: auto; }
.chart .narrow { display: none; }
.chart text { fill: var(--muted); font-size: 13px; font-variant-numeric: tabular-nums; }
.chart .value { fill: var(--text); font-weight: 600; }
.chart .grid { stroke: var(--line); stroke-width: 1; }
.chart .zero { stroke: var(--muted); stroke-width: 1; }
.chart .column { fill: var(--accent); }
.chart .dot { fill: var(--accent); stroke: var(--page); stroke-width: 2; }
.line { fill: none; stroke: var(--muted); stroke-width: 1.5; stroke-linejoin: round; }
.line.own { stroke: var(--accent); stroke-width: 3; }
.line.earlier2 { stroke-dasharray: 6 4; }
.line.earlier3 { stroke-dasharray: 2 4; }
.legend { display: flex; flex-wrap: wrap; gap: 0.15rem 1.5rem; margin: 0.5rem 0; padding: 0; list-style: none; font-size: 0.9375rem; }
.legend svg { display: inline-block; width: 2rem; height: 0.6rem; margin-right: 0.5rem; }
details { margin: 0.25rem 0 0.75rem; }
summary { display: inline-block; cursor: pointer; color: var(--accent); font-size: 0.9375rem; }
summary::before { content: "\\25B8  "; }
details[open] summary::before { content: "\\25BE  "; }
@media (max-width: 36rem) {
  header, main, footer { padding-left: 1rem; padding-right: 1rem; }
  .chart .wide { display: none; }
  .chart .narrow { display: block; }
  .scroll .bar { display: none; }
  .title { min-width: 7.5rem; }
  thead .number { white-space: normal; }
  .time { min-width: 7.5rem; white-space: normal; }
  th, td { padding-right: 0.6rem; }
  .figures { grid-template-columns: 1fr 1fr; }
  .figures dd { font-size: 1.35rem; }
}
@page { size: A4; margin: 14mm 14mm 16mm; }
@media print {
  :root { color-scheme: light; }
  html { font-size: 9.5pt; }
  header, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
  header { padding-top: 0; }
  nav, .search, summary { display: none; }
  h2 { margin-top: 1.75rem; }
  h2, h3, .caption, .note, .legend { break-after: avoid; }
  .whole, figure, tr, .figures { break-inside: avoid; }
  thead { display: table-header-group; }
  th, td { padding-top: 0.25rem; padding-bottom: 0.25rem; }
  th button::after { content: none; }
  .scroll, .scroll.tall { max-height: none; overflow: visible; border: 0; }
  .tall thead th { position: static; }
  .tall th:first-child, .tall td:first-child { padding-left: 0; }
  .chart .wide { display: block; max-height: 62mm; }
  .chart .narrow { display: none; }
  details::details-content { content-visibility: visible; display: block; height: auto; }
  .bar svg, .chart svg, .legend svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`.trim()
