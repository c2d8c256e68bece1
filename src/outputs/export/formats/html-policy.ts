import { createHash } from 'node:crypto'

/** The style of a page, light and dark, for telephones too. */
export const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#dcdfe1, #3a4046); --head: light-dark(#f2f3f1, #1e2327); }
body { margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: light-dark(#1d2327, #e4e6e8);
  background: light-dark(#fdfdfb, #15181b); }
h1 { margin: 0; font-size: 1.3rem; }
p { margin: 0.2rem 0 1rem; color: light-dark(#56616a, #a3adb5); font-size: 0.9rem; }
div { overflow-x: auto; }
table { width: max-content; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; max-width: 24rem; }
th { background: var(--head); white-space: nowrap; }
td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.time { white-space: nowrap; }
`.trim()

const digest = createHash('sha256').update(STYLE).digest('base64')

/** Nothing is loaded, and nothing runs. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${digest}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
