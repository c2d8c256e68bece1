/** The style of the page, light and dark, for narrow and wide windows. Its digest stands in the page's header. */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1d2327, #e4e6e8); --soft: light-dark(#56616a, #a3adb5);
  --paper: light-dark(#fdfdfb, #15181b); --line: light-dark(#dcdfe1, #30363b); --fill: light-dark(#f2f3f1, #1e2327);
  --link: light-dark(#0b5c8c, #7fc1ea); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem clamp(1rem, 4vw, 3rem) 4rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: anywhere; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
a { color: var(--link); }
code, pre { font: 0.9em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
pre { padding: 0.9rem 1rem; overflow-x: auto; background: var(--fill); border: 1px solid var(--line); border-radius: 6px; }
small, details, .meta { color: var(--soft); font-size: 0.85rem; font-weight: 400; }
nav ul { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0.35rem 1.1rem; }
table { width: 100%; margin: 1.25rem 0; border-collapse: collapse; }
caption { text-align: left; font-weight: 600; }
th, td { padding: 0.5rem 0.75rem 0.5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th[scope='row'] { width: 30%; }
th small { display: block; }
`.trim()
