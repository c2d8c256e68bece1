/**
 * Responses as documents, for many of them in one statement: history took three times as long with a function that is
 * called for each. The function stays for single rows, and gives the same.
 */
export const responseDocuments: readonly string[] = [
  `create view headcount.response_documents as
    select r.account_id, r.event_id, r.id as response_id,
           jsonb_strip_nulls(jsonb_build_object(
             'id', r.id, 'name', r.name, 'email', r.email, 'message', r.message,
             'quantity', r.quantity, 'rsvp', r.rsvp,
             'created_at', headcount.iso_utc(r.created_at),
             'updated_at', headcount.iso_utc(r.updated_at),
             'amount', p.amount::text, 'processing_fee', p.processing_fee::text))
           || case
                when slots.document is not null then jsonb_build_object('slots', slots.document)
                when r.kind = 'signup' then '{"slots": []}'
                else '{}'
              end
           || coalesce(r._extra, '{}') as document,
           r._changed_at
      from headcount.responses r
      left join headcount.payments p
        on p.account_id = r.account_id and p.event_id = r.event_id and p.response_id = r.id
     cross join lateral (
       select jsonb_agg(
                jsonb_strip_nulls(jsonb_build_object(
                  'name', s.name,
                  'start_date', headcount.iso_offset(s.start_date, s.start_local),
                  'end_date', headcount.iso_offset(s.end_date, s.end_local)))
                || coalesce(s._extra, '{}')
                order by s.position) as document
         from headcount.slots s
        where s.account_id = r.account_id and s.event_id = r.event_id and s.response_id = r.id
     ) slots`,
  `create or replace function headcount.response_document(response headcount.responses) returns jsonb
    language sql stable as $$
    select d.document
      from headcount.response_documents d
     where d.account_id = response.account_id and d.event_id = response.event_id and d.response_id = response.id
  $$`,
  `drop function headcount.slots_document(int, text, bigint)`,
  `comment on view headcount.response_documents is
    'Each live response as one document with its payment and its slots, as the service sends it: what history keeps of a version.'`,
  `comment on column headcount.response_documents.account_id is 'The account (accounts.id).'`,
  `comment on column headcount.response_documents.event_id is 'The event (events.id).'`,
  `comment on column headcount.response_documents.response_id is 'The response (responses.id).'`,
  `comment on column headcount.response_documents.document is 'The item, with its time stamps in UTC and what stands in _extra.'`,
  `comment on column headcount.response_documents._changed_at is 'When this version began (responses._changed_at).'`,
]
