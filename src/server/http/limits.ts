/** How large a request may be, and what it asks for. */

export const MAX_HEADER_BYTES = 16 * 1024
export const MAX_URL_CHARACTERS = 8 * 1024
/** A part of a list is read whole before its end is known to be the last. */
export const MAX_PAGE_ITEMS = 10_000
