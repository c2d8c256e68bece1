/**
 * A first load is quicker without the indexes that only queries use: the run that ends it makes them
 * (src/db/deferred-indexes.ts). A mirror that has rows keeps its indexes.
 */
export const lateIndexes: readonly string[] = [
  `do $$
   begin
     if not exists (select from headcount.responses) then
       drop index if exists headcount.responses_email, headcount.responses_created_at;
     end if;
   end $$`,
]
