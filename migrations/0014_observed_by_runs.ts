/** What is counted of an observation is the runs that saw it, no longer the items: each was seen by one run at least. */
export const observedByRuns: readonly string[] = [
  `update headcount.api_observations set count = 1`,
  `delete from headcount.api_observations where kind in ('id_form', 'time_offset') or kind = 'status' and value in ('200', '304')`,
  `comment on column headcount.api_observations.count is
    'Finished runs that saw it in a list that was new or had changed, or in an HTTP response; 0 while the first of them goes on.'`,
]
