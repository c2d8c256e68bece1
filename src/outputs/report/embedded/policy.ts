import { createHash } from 'node:crypto'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const rules = [
  "default-src 'none'",
  // guard: scripts of a report
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
]

/** In the page itself: nothing is loaded, and nothing runs and nothing styles but what is ours. */
export const PAGE_POLICY = rules.join('; ')

/** As a header. A page cannot say of itself who may frame it. */
export const HEADER_POLICY = [...rules, "frame-ancestors 'none'"].join('; ')
