/** A link may show the page of "headcount report" in place of a view. Only what is said of the table changes. */
export const reportLinks: readonly string[] = [
  `comment on table headcount.links is
    'Addresses under which this mirror shows a table, a view or the report without a key. Filled by "headcount links create".'`,
  `comment on column headcount.links.view is
    'The table or view; report: the page that "headcount report" makes.'`,
]
