/**
 * Why the address of a link shows nothing, as problem documents (RFC 9457): `link_` and the state of the link, or the reason of its error.
 * They are no part of the interface of the service.
 */

export const linkProblems = {
  unknown_link: {
    status: 404,
    title: 'No such link',
    detail: 'this address shows nothing: copy the whole of it, or ask for a new one',
  },
  link_expired: {
    status: 410,
    title: 'This link has expired',
    detail: 'its time is over: ask for a new one',
  },
  link_revoked: {
    status: 410,
    title: 'This link was revoked',
    detail: 'it shows nothing any more: ask for a new one',
  },
  link_view_removed: {
    status: 410,
    title: 'What this link showed no longer exists',
    detail: 'ask for a new one',
  },
  link_too_large: { status: 413, title: 'This is too large for a link', detail: 'ask for a link to less' },
  link_too_slow: { status: 503, title: 'This takes too long', detail: 'ask for a link to less' },
} as const

export type LinkProblemCode = keyof typeof linkProblems
