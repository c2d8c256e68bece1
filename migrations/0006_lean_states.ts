/**
 * A stamp rewrites the row of its list, and the first one on a page after a checkpoint puts the whole page into the
 * WAL: 10,000 stamps were 3.0 MB, with validators 3.8 MB. A digest as its 32 bytes is half as long as its 64 characters, and
 * with more room on a page a row that has learned its validator still finds its next version a place there.
 */
export const leanStates: readonly string[] = [
  `alter table headcount.sync_state set (fillfactor = 40)`,
  // Writes the table anew, with that room.
  `alter table headcount.sync_state alter column digest type bytea using decode(digest, 'hex')`,
]
