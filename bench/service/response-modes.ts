/** How the same bodies are answered; the first part of the path chooses. */
export type Way =
  /** Without validators: every list is read. */
  | 'plain'
  /** With an ETag: a list that is still the same is answered 304. */
  | 'etag'
  /** As plain, but each answer comes after a while. */
  | 'slow'

/** How long `slow` takes to answer. */
export const SLOW_MS = 50
