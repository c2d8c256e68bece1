/** Entity-tags (RFC 9110, section 8.8.3): what a service answers to be asked with the next time. */
import { type Headers, headerOf } from './headers.ts'
import { nextLinks } from '../list/pagination-signs.ts'

const MAX_ETAG_LENGTH = 1024
/** Strong or weak, with at least one character: an empty tag tells nothing apart. */
const entityTag = /^(?:W\/)?"[\x21\x23-\x7e]+"$/

/** The tag when it is one that can be sent again: well-formed, printable ASCII, at most 1,024 characters; else null. */
export function usableEtag(text: string | null | undefined): string | null {
  const tag = text?.trim() ?? ''
  return tag.length <= MAX_ETAG_LENGTH && entityTag.test(tag) ? tag : null
}

/**
 * Whether a 304 speaks of the list that our validator belongs to. One with another tag does not, nor one that names
 * a next page: the list we have was one page. Without a tag it is taken at its word.
 */
export function confirmsEtag(headers: Headers, etag: string): boolean {
  const answered = headerOf(headers, 'etag')
  if (answered !== null && weakValue(answered.trim()) !== weakValue(etag)) return false
  const { targets, unreadable } = nextLinks(headers)
  return targets.length === 0 && !unreadable
}

/** The comparison that `If-None-Match` means: compression on the way makes a strong tag weak, and it stays the same list. */
function weakValue(tag: string): string {
  return tag.replace(/^W\//, '')
}
