const account = { account_id: 'The account (accounts.id).' }
const event = { event_id: 'The event (events.id).' }
const response = { response_id: 'The response (responses.id).' }
const changedAt = { _changed_at: 'When a run stored this version.' }
const extra = {
  _extra:
    'Fields that the specification does not name, and the originals of fields set aside. NULL when there is nothing.',
}

interface Described {
  readonly kind: 'type' | 'view'
  readonly meaning: string
  readonly columns: Readonly<Record<string, string>>
}

const relations: Readonly<Record<string, Described>> = {
  past_event: {
    kind: 'type',
    meaning: 'An event as it was at some moment (events_at).',
    columns: {
      ...account,
      id: 'Event identifier of the service.',
      title: 'Event title.',
      event_at: 'When the event takes place.',
      description: 'Free text.',
      event_type: 'Kind of event.',
      location: 'Free text.',
      ...extra,
      ...changedAt,
    },
  },
  past_response: {
    kind: 'type',
    meaning: 'A response as it was at some moment (responses_at).',
    columns: {
      ...account,
      ...event,
      id: 'Response identifier of the service, unique within its event.',
      kind: 'Shape of the item: reply, payment, signup, mixed or bare.',
      name: 'Name of the respondent.',
      email: 'E-mail address of the respondent.',
      message: 'Free text left by the respondent.',
      quantity: 'Number of people or units.',
      rsvp: 'The reply as the service spells it.',
      created_at: 'When the response was made, by the service.',
      updated_at: 'When the response was last changed, by the service.',
      ...extra,
      ...changedAt,
    },
  },
  past_payment: {
    kind: 'type',
    meaning: 'A payment as it was at some moment (payments_at).',
    columns: { ...account, ...event, ...response, amount: 'Amount paid.', processing_fee: 'Processing fee.' },
  },
  past_slot: {
    kind: 'type',
    meaning: 'A slot of a response as it was at some moment (slots_at).',
    columns: {
      ...account,
      ...event,
      ...response,
      position: 'Place in the list of slots, from 1.',
      name: 'Slot label.',
      start_date: 'Start as an instant.',
      end_date: 'End as an instant.',
      start_local: 'Start on the wall clock as sent.',
      end_local: 'End on the wall clock as sent.',
      ...extra,
    },
  },
  response_changes: {
    kind: 'view',
    meaning:
      'What changed when: one row for each field that an update changed, one for each response that came or went. Nothing from before the horizon of prune.',
    columns: {
      ...account,
      account: 'Name of the account.',
      ...event,
      ...response,
      changed_at: 'When a run stored the change.',
      change: 'insert (it came, or came back), update or delete (the service no longer returned it).',
      field:
        'The field that changed, as the service spells it; slots as a whole. NULL for insert and delete.',
      old_value:
        'What it was: text as it is, all else as JSON; NULL when the field was absent. Of a delete, the whole response as JSON.',
      new_value: 'What it became. Of an insert, the whole response as JSON.',
    },
  },
}

const moment = 'as runs saw it; a moment before the first run or before the horizon of prune is an error'

const functions: Readonly<Record<string, string>> = {
  'events_at(text, timestamptz)': `The events of an account at a moment, ${moment}.`,
  'responses_at(text, timestamptz)': `The responses of an account at a moment, ${moment}.`,
  'payments_at(text, timestamptz)': `The payments of an account at a moment, ${moment}.`,
  'slots_at(text, timestamptz)': `The slots of an account at a moment, ${moment}.`,
  'account_at(text, timestamptz)':
    'The number of an account, when its mirror can tell of that moment; an error otherwise.',
  'stored_text(jsonb)': 'A field of a document as its text column had it; NULL when it was set aside.',
  'stored_bigint(jsonb)': 'A field of a document as its bigint column had it; NULL when it was set aside.',
  'stored_amount(jsonb)': 'A field of a document as its numeric column had it; NULL when it was set aside.',
  'is_wall_clock(text)':
    'Whether the text is a real date and time of the years 1 to 9999, in the form YYYY-MM-DDTHH:MM:SS, with up to six fraction digits.',
  'stored_instant(jsonb)':
    'A field of a document as its timestamptz column had it; NULL when it was set aside.',
  'stored_slot_time(jsonb)': 'A time of a slot with its offset, as text; NULL when it was set aside.',
  'stored_slots(jsonb)': 'The slots of a document that had rows of their own; NULL when they were set aside.',
  'is_paid(jsonb)': 'Whether the response of a document had a row in payments.',
  'kind_of(jsonb)': 'The kind of the response of a document.',
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

export const comments: readonly string[] = [
  ...Object.entries(relations).flatMap(([name, { kind, meaning, columns }]) => [
    `comment on ${kind} headcount.${name} is ${quote(meaning)}`,
    ...Object.entries(columns).map(
      ([column, what]) => `comment on column headcount.${name}.${column} is ${quote(what)}`,
    ),
  ]),
  ...Object.entries(functions).map(
    ([signature, meaning]) => `comment on function headcount.${signature} is ${quote(meaning)}`,
  ),
]
