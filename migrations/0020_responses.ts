/** The responses of an event with their parts, as every view counts them. */

/** A reply: it has a value of rsvp, or the shape of one. */
export const isReply = `r.rsvp is not null or r.kind in ('reply', 'bare')`

/**
 * The responses of the event `e`. It begins with the row of the event, and each table is read by its key: one event costs
 * what its own rows cost, on Postgres 15, too. `offset 0` keeps the e-mail key from being made twice.
 */
export const responsesOfEvent = `
       select r.id, r.name, r.email, r.message, r.created_at, r._first_seen_at, headcount.email_key(r.email) as email_key,
              ${isReply} as is_reply, coalesce(m.meaning, 'unknown') as meaning,
              p.response_id is not null as is_payment, p.amount, p.processing_fee,
              s.slots is not null as is_sign_up, s.slots,
              headcount.people_of(r.kind, r.rsvp, m.meaning, r.quantity, s.slots is not null) as people
         from headcount.responses r
         left join headcount.rsvp_meanings m on m.value = r.rsvp
         left join headcount.payments p on p.account_id = e.account_id and p.event_id = e.id and p.response_id = r.id
         left join (
           select s.response_id, count(*) as slots
             from headcount.slots s
            where s.account_id = e.account_id and s.event_id = e.id
            group by s.response_id
         ) s on s.response_id = r.id
        where r.account_id = e.account_id and r.event_id = e.id
       offset 0`

/** The last versions of the responses to the event `e` that are not live: they were withdrawn. */
export const withdrawnOfEvent = `
       select last.document, last.valid_to as withdrawn_at,
              coalesce(headcount_internal.stored_instant(last.document->'created_at'), last.seen_at) as created_at,
              headcount.people_of(
                headcount_internal.kind_of(last.document), last.rsvp, m.meaning,
                headcount_internal.stored_bigint(last.document->'quantity'),
                jsonb_array_length(headcount_internal.stored_slots(last.document->'slots')) > 0) as people
         from (
           select distinct on (h.response_id) h.document, h.operation, h.valid_to,
                  headcount_internal.stored_text(h.document->'rsvp') as rsvp,
                  min(h.valid_from) over (partition by h.response_id) as seen_at
             from headcount.response_history h
            where h.account_id = e.account_id and h.event_id = e.id
              and not exists (select from headcount.responses r
                               where r.account_id = e.account_id and r.event_id = e.id and r.id = h.response_id)
            order by h.response_id, h.valid_to desc, h.ended_by_run_id desc
         ) last
         left join headcount.rsvp_meanings m on m.value = last.rsvp
        where last.operation = 'delete'`

/**
 * People whom one person brings to one event, counted once: by a reply, by a payment, or by a sign-up.
 *
 * @param over the window of these responses, as ` over event`, where they are not grouped
 */
export const expectedOfPerson = (row: string, over = '') => `greatest(
         sum(${row}.people) filter (where ${row}.is_reply and ${row}.meaning = 'coming')${over},
         sum(${row}.people) filter (where ${row}.is_payment and coalesce(${row}.amount, 0) >= 0 and ${row}.meaning <> 'not_coming')${over},
         max(1) filter (where ${row}.is_sign_up and ${row}.meaning <> 'not_coming')${over}, 0)`

export const functionsOfViews: readonly string[] = [
  `create function headcount.people_of(kind text, rsvp text, meaning text, quantity bigint, has_slot boolean) returns bigint
    language sql immutable parallel safe as $$
    select case
             when rsvp is null then
               case when kind = 'signup' and not coalesce(has_slot, false) then 0 else greatest(coalesce(quantity, 1), 0) end
             when meaning = 'not_coming' then 0
             else greatest(quantity, 1)
           end
  $$`,
  `comment on function headcount.people_of(text, text, text, bigint, boolean) is
    'People of a response, from its kind, its rsvp with the meaning of rsvp_meanings, its quantity, and whether it has a slot: 0 when it means not coming; a quantity below 1 is 1 for a reply with a value, and 0 elsewhere; without a quantity 1.'`,

  `create or replace function headcount_internal.person_id(secret bytea, account int, email_key text) returns text
    language sql immutable parallel safe as $$
    select left(encode(sha256(secret || sha256(
             secret || convert_to(account::text, 'UTF8') || '\\x00' || convert_to(email_key, 'UTF8'))), 'hex'), 32)
  $$`,
  `comment on function headcount_internal.person_id(bytea, int, text) is
    'The pseudonym of a person: the first 32 hexadecimal digits of sha256(secret || sha256(secret || account || 0x00 || e-mail key)).'`,

  // Equal for events that are compared with each other.
  `create or replace function headcount_internal.series_of(event_type text, title text) returns bytea
    language sql immutable parallel safe as $$
    select headcount_internal.sha256_of(
             quote_nullable(event_type) || ' ' || regexp_replace(title collate "C", '[0-9\\s]', '', 'g'))
  $$`,
  `comment on function headcount_internal.series_of(text, text) is
    'A hash of the type and of the title without digits and white space, by which events are compared; NULL without a title.'`,
  `create index events_series on headcount.events (account_id, headcount_internal.series_of(event_type, title), event_at)`,
]
