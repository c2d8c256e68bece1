/**
 * An edited row found no place on its page, so that its new version went to another one and every index got a further entry: each of them
 * another page that goes into the WAL whole after a checkpoint. With a tenth of each page left free the new version stays there, and no index is
 * written unless one of its columns changed. Pages that are there keep their rows; new ones are filled so.
 */
export const roomForUpdates: readonly string[] = ['responses', 'payments', 'slots'].map(
  (table) => `alter table headcount.${table} set (fillfactor = 90)`,
)
