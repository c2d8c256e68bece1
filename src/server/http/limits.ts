/** The limits of a request. */

export const MAX_HEADER_BYTES = 16 * 1024
export const MAX_URL_CHARACTERS = 8 * 1024
/** Of a page. */
export const MAX_PAGE_ITEMS = 10_000
