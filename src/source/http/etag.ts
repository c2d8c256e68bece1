/** Entity tags (RFC 9110, section 8.8.3) for conditional requests. */
import { type Headers, headerOf } from './headers.ts'
import { nextLinks } from '../list/pagination-signs.ts'

const MAX_ETAG_LENGTH = 1024
/** Strong or weak, with at least one character: an empty tag does not identify a version. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e]+"$/

/** The tag when it can be sent again: well-formed, printable ASCII, at most 1,024 characters; else null. */
export function usableEtag(text: string | null | undefined): string | null {
  const tag = text?.trim() ?? ''
  return tag.length <= MAX_ETAG_LENGTH && entityTag.test(tag) ? tag : null
}

/**
 * Whether a 304 confirms our tag. A 304 with another tag does not. A 304 that names a next page does not either: the
 * stored list was one page. A 304 without a tag does.
 */
export function confirmsEtag(headers: Headers, etag: string): boolean {
  const answered = headerOf(headers, 'etag')
  if (answered !== null && weakValue(answered.trim()) !== weakValue(etag)) return false
  const { targets, unreadable } = nextLinks(headers)
  return targets.length === 0 && !unreadable
}

/** `If-None-Match` compares weakly: a proxy that compresses the body makes a strong tag weak. */
function weakValue(tag: string): string {
  return tag.replace(/^W\//, '')
}
