/** Views of slots. */
import { eventColumns, person, shownEvents, view } from './0020_view.ts'

/** The most specific target of the slot. Where there is none at all, none is looked for: once a slot took a fifth of the time. */
const wanted = (slot: string) => `coalesce(
             case when (select exists (select from headcount.slot_targets)) then (
               select t.wanted
                 from headcount.slot_targets t
                where t.account_id = e.account_id and (t.event_id is null or t.event_id = e.id)
                  and (t.slot_name is null or t.slot_name = ${slot}.slot_name)
                order by t.slot_name is null, t.event_id is null
                limit 1)
             end, 2)`

/** The slots of the event `e` that somebody takes. A response that names a slot twice counts once. */
const slotsOfEvent = `
       select s.slot_name, s.start_date, s.end_date, min(s.start_local) as start_local, min(s.end_local) as end_local,
              count(*) as sign_ups, count(distinct ${person('r.email_key', 'r.id')}) as respondents,
              coalesce(sum(r.people), 0) as people, max(r.created_at) as last_sign_up_at
         from (
           select s.response_id, s.name as slot_name, s.start_date, s.end_date,
                  min(s.start_local) as start_local, min(s.end_local) as end_local
             from headcount.slots s
            where s.account_id = e.account_id and s.event_id = e.id
            group by s.response_id, s.name, s.start_date, s.end_date
         ) s
         join (
           select r.id, r.created_at, headcount.email_key(r.email) as email_key,
                  headcount.people_of(r.kind, r.rsvp, m.meaning, r.quantity, true) as people
             from headcount.responses r
             left join headcount.rsvp_meanings m on m.value = r.rsvp
            where r.account_id = e.account_id and r.event_id = e.id and r.kind in ('signup', 'mixed')
           offset 0
         ) r on r.id = s.response_id
        group by s.slot_name, s.start_date, s.end_date`

/** The slots that only responses of the event `e` held that were withdrawn since. */
const emptiedSlotsOfEvent = `
       select s.slot_name, s.start_date, s.end_date, min(s.start_local) as start_local, min(s.end_local) as end_local,
              max(s.withdrawn_at) as emptied_at
         from (
           select f.name as slot_name, f.start_date::timestamptz as start_date, f.end_date::timestamptz as end_date,
                  left(f.start_date, -6)::timestamp as start_local, left(f.end_date, -6)::timestamp as end_local,
                  last.valid_to as withdrawn_at
             from (
               select distinct on (h.response_id) h.document, h.operation, h.valid_to
                 from headcount.response_history h
                where h.account_id = e.account_id and h.event_id = e.id
                  and not exists (select from headcount.responses r
                                   where r.account_id = e.account_id and r.event_id = e.id and r.id = h.response_id)
                order by h.response_id, h.valid_to desc, h.ended_by_run_id desc
             ) last
            cross join lateral jsonb_array_elements(headcount_internal.stored_slots(last.document->'slots')) slot (document)
            cross join lateral (
              select headcount_internal.stored_text(slot.document->'name') as name,
                     headcount_internal.stored_slot_time(slot.document->'start_date') as start_date,
                     headcount_internal.stored_slot_time(slot.document->'end_date') as end_date
              offset 0
            ) f
            where last.operation = 'delete'
         ) s
        where not exists (
                select from headcount.slots taken
                 where taken.account_id = e.account_id and taken.event_id = e.id
                   and taken.name is not distinct from s.slot_name
                   and taken.start_date is not distinct from s.start_date
                   and taken.end_date is not distinct from s.end_date)
        group by s.slot_name, s.start_date, s.end_date`

const isSoon = (slot: string) =>
  `${slot}.start_date > now() and ${slot}.start_date <= now() + interval '1344 hours'`

const columns = {
  sign_ups: 'Different responses that take the slot.',
  respondents: 'Different persons.',
  people:
    'People of these responses. The quantity belongs to the whole response: never add people over slots. The service may count units.',
  wanted: 'People wanted: slot_targets, else 2.',
  last_sign_up_at: 'When the last of these responses was made.',
}

const slotSummary = view({
  name: 'slot_summary',
  comment:
    'Each slot that somebody takes: event, name, start and end. A slot that nobody ever took is in no response, so not here.',
  columns: {
    ...columns,
    is_upcoming: 'Whether the slot starts after now; NULL without a start.',
  },
  query: `
    select ${eventColumns}, e.event_at, s.slot_name, s.start_date, s.end_date, s.start_local, s.end_local,
           s.sign_ups, s.respondents, s.people, ${wanted('s')} as wanted, s.start_date > now() as is_upcoming,
           s.last_sign_up_at
      from ${shownEvents}
     cross join lateral (${slotsOfEvent}
     ) s`,
})

const thinSlots = view({
  name: 'thin_slots',
  comment:
    'Slots of the next 56 days that need people: fewer than slot_targets wants, else fewer than 2. Also slots that nobody takes since their last sign-up was withdrawn. A slot that nobody ever took is in no response; one that its holders exchanged for another is not reported, for a renamed slot looks the same.',
  columns: {
    ...columns,
    missing: 'People wanted minus people.',
    emptied_at: 'When the last sign-up was withdrawn; NULL if somebody still takes the slot.',
  },
  query: `
    select s.account_id, s.account, s.event_id, s.event_title, s.event_at, s.slot_name, s.start_date, s.end_date,
           s.start_local, s.end_local, s.sign_ups, s.respondents, s.people, s.wanted, s.last_sign_up_at,
           s.wanted - s.people as missing, s.emptied_at
      from (
        select ${eventColumns}, e.event_at, s.*, ${wanted('s')} as wanted
          from ${shownEvents}
         cross join lateral (
           select taken.*, null::timestamptz as emptied_at from (${slotsOfEvent}
           ) taken
           union all
           select emptied.slot_name, emptied.start_date, emptied.end_date, emptied.start_local, emptied.end_local,
                  0, 0, 0, null, emptied.emptied_at
             from (${emptiedSlotsOfEvent}
           ) emptied
         ) s
         where ${isSoon('s')}
      ) s
     where s.people < s.wanted`,
})

export const slotViews: readonly string[] = [...slotSummary, ...thinSlots]
