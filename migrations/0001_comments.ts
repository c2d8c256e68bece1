/** What every table, view, function and column of the first schema means, for whoever meets them in a database client. */

type Descriptions = Readonly<
  Record<string, { readonly table: string; readonly columns: Readonly<Record<string, string>> }>
>

const account = { account_id: 'The account (accounts.id).' }
const event = { event_id: 'The event (events.id).' }
const response = { response_id: 'The response (responses.id).' }
const extra = {
  _extra:
    'Fields that the specification does not name, and the originals of fields set aside under their own name. NULL when there is nothing.',
}
const provenance = {
  _first_seen_at: 'When a run first stored this row; a row that comes back begins anew.',
  _changed_at: 'When a run last changed this row: the start of the present version.',
  _run_id: 'The run that stored the present version (sync_runs.id).',
}
const span = {
  valid_from: 'Since when this version was in the mirror.',
  valid_to: 'Until when (exclusive): the start of the next version, or the deletion.',
  operation: 'How it ended: update (a next version followed) or delete (the service no longer returned it).',
  document: 'The whole former item in the shape of the API, with amounts and slots.',
  ended_by_run_id: 'The run that ended this version (sync_runs.id).',
}

const tables: Descriptions = {
  accounts: {
    table: 'The owners of API keys whose data is mirrored here.',
    columns: {
      id: 'Key of the account inside this database.',
      name: 'Name chosen by the user (default: default).',
      email: 'E-mail address that the service gave on /ping.',
      base_url: 'Base address of the service that the mirror was built from.',
      _created_at: 'When the account was first seen here.',
    },
  },
  events: {
    table: 'Live events: exactly what the service lists now.',
    columns: {
      ...account,
      id: 'Event identifier of the service.',
      title: 'Event title.',
      event_at: 'When the event takes place.',
      description: 'Free text.',
      event_type: 'Kind of event as the service spells it.',
      location: 'Free text.',
      ...extra,
      ...provenance,
    },
  },
  responses: {
    table: "Live responses: exactly what the service answers now, one row a person's reply.",
    columns: {
      ...account,
      ...event,
      id: 'Response identifier of the service, unique within its event.',
      kind: 'Shape of the item: reply, payment, signup, mixed (marks of more than one) or bare (none).',
      name: 'Name of the respondent.',
      email: 'E-mail address of the respondent.',
      message: 'Free text left by the respondent.',
      quantity: 'Number of people or units.',
      rsvp: 'The reply as the service spells it.',
      created_at: 'When the response was made, by the service.',
      updated_at: 'When the response was last changed, by the service.',
      ...extra,
      ...provenance,
    },
  },
  payments: {
    table: 'Live payments: one row for each response that carries an amount or a fee.',
    columns: {
      ...account,
      ...event,
      ...response,
      amount: 'Amount, exact as sent. The service names no currency.',
      processing_fee: 'Processing fee, exact as sent.',
    },
  },
  slots: {
    table: 'Live slots: what the respondents signed up for, one row a slot of a response.',
    columns: {
      ...account,
      ...event,
      ...response,
      position: "Place in the response's list of slots, from 1.",
      name: 'Slot label.',
      start_date: 'Start as an instant.',
      end_date: 'End as an instant.',
      start_local: 'Start on the wall clock as sent; the offset is start_local minus start_date in UTC.',
      end_local: 'End on the wall clock as sent.',
      ...extra,
    },
  },
  event_history: { table: 'Former versions of events.', columns: { ...account, ...event, ...span } },
  response_history: {
    table: 'Former versions of responses, with their payments and slots.',
    columns: { ...account, ...event, ...response, ...span },
  },
  rejects: {
    table:
      'Items that the service answers now and that cannot be stored in the live tables, with the reason.',
    columns: {
      ...account,
      event_id: 'The event whose list holds the item; NULL for the list of events.',
      item_index: 'Place in the list, from 0.',
      reason: 'What is wrong.',
      path: 'Where, like $[0].id.',
      payload: 'Source text of the item, cut at 64 KiB.',
      bytes: 'Length of the whole source text in bytes.',
      sha256: 'SHA-256 of the whole source text, in hexadecimal.',
      run_id: 'The run that last read the list (sync_runs.id).',
      seen_at: 'When that was.',
    },
  },
  sync_runs: {
    table: 'Executions of sync and backfill. A running one holds its account.',
    columns: {
      id: 'Number of the run.',
      ...account,
      mode: 'sync or backfill.',
      selective: 'Only named events were read (--event): such a run says nothing of the others.',
      status:
        'running, succeeded, partial, held, failed, interrupted, or abandoned (taken over by a later run).',
      holder: 'Which process runs it: host, boot, process namespace, process and its start time.',
      started_at: 'When it started.',
      heartbeat_at: 'Last sign of life while it runs.',
      finished_at: 'When it ended.',
      report: 'Report of the run, as printed by --json.',
    },
  },
  sync_state: {
    table:
      'What is known of each list: one row an event, and one for the list of events (event_id is empty).',
    columns: {
      ...account,
      event_id: 'The event (events.id), or empty for the list of events.',
      digest:
        "SHA-256 over our normaliser's version and the list's body; NULL unless the list was applied whole.",
      normaliser: 'Version of our normaliser that the digest was made with.',
      etag: 'Validator that the service sent with the list.',
      checked_at: 'When the list was last read whole.',
      next_check_at: 'When it is due again; NULL means at the next run.',
      step: 'Seconds that the list of an older event waits while nothing changes.',
      backfill_id: 'The backfill that last read the list.',
      held: 'Deletions kept back: groups of ids with the reason and the moment of their first sight.',
      held_count: 'How many deletions are kept back.',
      held_since: 'Since when the oldest of them.',
      set_aside: 'Fields of the list that could not be stored in their column.',
      error_code: 'Why the last reading failed; NULL when it did not.',
      error_message: 'The same in words.',
      failed_at: 'When it failed.',
    },
  },
  api_observations: {
    table:
      'Facts seen on the wire that the specification leaves open. Never a name, an e-mail address or a message.',
    columns: {
      ...account,
      subject: 'What the fact is about, like response.rsvp.',
      fact: 'Which kind of fact.',
      value: 'What was seen.',
      seen: 'How often.',
      first_seen_at: 'First time.',
      last_seen_at: 'Last time.',
    },
  },
  api_keys: {
    table: 'Keys with which this mirror answers as a service.',
    columns: {
      id: 'Number of the key.',
      ...account,
      sha256: 'SHA-256 of the key; the key itself is not stored.',
      label: 'What the key is for.',
      created_at: 'When it was made.',
      expires_at: 'When it ends; NULL means never.',
      last_used_on: 'Day of its last use.',
      revoked_at: 'When it was taken back.',
    },
  },
  schema_migrations: {
    table: 'Migrations applied to this schema.',
    columns: { number: 'Number of the migration.', name: 'Its name.', applied_at: 'When it was applied.' },
  },
}

const views: Descriptions = {
  response_details: {
    table: "Responses with their event's title and time, their payment and the number of their slots.",
    columns: {
      ...account,
      ...event,
      event_title: 'Event title.',
      event_at: 'When the event takes place.',
      ...response,
      kind: 'Shape of the item: reply, payment, signup, mixed or bare.',
      name: 'Name of the respondent.',
      email: 'E-mail address of the respondent.',
      message: 'Free text left by the respondent.',
      quantity: 'Number of people or units.',
      rsvp: 'The reply as the service spells it.',
      amount: 'Amount paid.',
      processing_fee: 'Processing fee.',
      slot_count: 'Number of slots.',
      created_at: 'When the response was made, by the service.',
      updated_at: 'When the response was last changed, by the service.',
    },
  },
  freshness: {
    table: 'How fresh each list is: one row an event, and one for the list of events (event_id is empty).',
    columns: {
      ...account,
      account: 'Name of the account.',
      ...event,
      event_title: 'Event title.',
      checked_at: 'When the list was last read whole.',
      next_check_at: 'When it is due again; NULL means at the next run.',
      held: 'Deletions kept back.',
      held_since: 'Since when the oldest of them.',
      rejected: 'Items that cannot be stored.',
      set_aside: 'Fields that could not be stored in their column.',
      failing: 'Whether the last reading failed.',
      failed_at: 'When it failed.',
      error_code: 'Why it failed.',
      error_message: 'The same in words.',
    },
  },
}

const functions: Readonly<Record<string, string>> = {
  'iso_wall_clock(timestamp)': 'A wall clock as ISO 8601 text without zone.',
  'iso_utc(timestamptz)': 'An instant as ISO 8601 text in UTC.',
  'iso_offset(timestamptz, timestamp)': 'An instant and its wall clock as ISO 8601 text with the offset.',
  'event_document(headcount.events)': 'An event as the service would write it.',
  'slots_document(int, text, bigint)':
    'The slots of a response as the service would write them; NULL when there are none.',
  'response_document(headcount.responses)':
    'A response as the service would write it, with its payment and slots.',
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function describe(kind: 'table' | 'view', descriptions: Descriptions): string[] {
  return Object.entries(descriptions).flatMap(([name, { table, columns }]) => [
    `comment on ${kind} headcount.${name} is ${quote(table)}`,
    ...Object.entries(columns).map(
      ([column, meaning]) => `comment on column headcount.${name}.${column} is ${quote(meaning)}`,
    ),
  ])
}

export const comments: readonly string[] = [
  `comment on schema headcount is 'Mirror of an event account: events, responses, payments and slots.'`,
  ...describe('table', tables),
  ...describe('view', views),
  ...Object.entries(functions).map(
    ([signature, meaning]) => `comment on function headcount.${signature} is ${quote(meaning)}`,
  ),
]
