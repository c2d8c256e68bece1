/** Why the address of a link shows nothing, as problem documents (RFC 9457). They are no part of the interface of the service. */
import type { LinkError } from '../../outputs/export/link-error.ts'

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

export const problemOfState = { expired: 'link_expired', revoked: 'link_revoked' } as const

export const problemOfError = {
  view_removed: 'link_view_removed',
  too_large: 'link_too_large',
  too_slow: 'link_too_slow',
} as const satisfies Record<LinkError['reason'], LinkProblemCode>
