/** The style of the page, light and dark, for narrow and wide windows. Its digest stands in the page's header. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2327, #e4e6e8); --soft: light-dark(#56616a, #a3adb5);
  --paper: light-dark(#fdfdfb, #15181b); --line: light-dark(#dcdfe1, #30363b); --fill: light-dark(#f2f3f1, #1e2327);
  --link: light-dark(#0b5c8c, #7fc1ea); --mark: light-dark(#1f6b45, #86d2a9); }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 78rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 3rem 0 0.5rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.35rem; line-height: 1.35; }
h3 { margin: 2rem 0 0.25rem; font-size: 1.1rem; }
p { max-width: 46rem; margin: 0.6rem 0; }
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
code, pre { font: 0.9em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
h2 code { font-size: 1em; font-weight: 600; overflow-wrap: anywhere; }
pre { margin: 1rem 0; padding: 0.9rem 1rem; overflow-x: auto; background: var(--fill); border: 1px solid var(--line);
  border-radius: 6px; font-size: 0.85rem; }
pre code { font-size: 1em; }
small, .meta { color: var(--soft); font-size: 0.85rem; font-weight: 400; }
.method { color: var(--mark); font-weight: 700; font-size: 0.85em; letter-spacing: 0.03em; }
nav ul { margin: 1rem 0 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.35rem 1.1rem; }
table { width: 100%; margin: 1.25rem 0; border-collapse: collapse; }
caption { padding-bottom: 0.35rem; text-align: left; font-weight: 600; }
:is(#fields, #headers, #errors) ~ table caption { position: absolute; clip-path: inset(50%); }
thead th { color: var(--soft); font-size: 0.85rem; font-weight: 400; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
tbody th { width: 30%; font-weight: 600; }
tbody th small { display: block; }
details { margin-top: 0.25rem; color: var(--soft); font-size: 0.85rem; }
details code { overflow-wrap: anywhere; }
summary { cursor: pointer; width: fit-content; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 0 3rem; }
  body > header { position: sticky; top: 1.5rem; align-self: start; }
  nav ul { flex-direction: column; }
  main > section:first-child > p:first-child { margin-top: 0; }
}
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
@media print { nav { display: none; } body { max-width: none; } }
`.trim()
